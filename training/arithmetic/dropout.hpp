// SPDX-License-Identifier: MIT
/// \file
/// Dropout of plain arrays on the CPU.
#pragma once
#include <span>

#include "training/random/dropout_mask.hpp"

namespace paceline {

/// to = from, kept elements scaled and the others 0. Both hold a mini-batch with a pixel's channels
/// side by side, and may be the same. Requires to.size() == from.size().
void drop(std::span<const float> from, const DropoutDraw& draw, double rate, std::span<float> to);

}  // namespace paceline
