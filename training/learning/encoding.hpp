// SPDX-License-Identifier: MIT
/// \file
/// Gradients in fewer bytes, on the host. The same words on every host: ties and orders of sums are
/// fixed.
#pragma once
#include <span>

#include "training/runtime/gradient_codec.hpp"

namespace paceline {

/// Writes `numbers` (+ `residual`, where the codec feeds back) to `words`, codec.words() of them.
/// `residual` becomes the error that this makes; empty where the codec keeps none. Of a codec that
/// feeds back it has the size of `numbers`.
void encode(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
            std::span<float> residual);

/// into += factor x the numbers encoded in `words`; `fresh`: in place of the old contents.
void decode(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
            float factor, bool fresh);

/// into += from, both of two halves a word; each sum is rounded to the nearest half.
void add_halves(std::span<float> into, std::span<const float> from);

}  // namespace paceline
