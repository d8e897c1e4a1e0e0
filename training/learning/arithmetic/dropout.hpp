// SPDX-License-Identifier: MIT
/// \file
/// Dropout on plain arrays on the CPU.
#pragma once
#include <span>

#include "training/workload/random/dropout_mask.hpp"

namespace paceline {

/// Copies `from` to `to`, with the kept elements scaled and all others 0. Both hold a mini-batch
/// with the channels of a pixel side by side, and may be the same array. Requires to.size() ==
/// from.size().
void drop(std::span<const float> from, const DropoutDraw& draw, double rate, std::span<float> to);

}  // namespace paceline
