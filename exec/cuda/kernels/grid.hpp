// SPDX-License-Identifier: MIT
/// \file
/// How many blocks a kernel is launched with.
#pragma once
#include <cstdint>

namespace paceline::cuda {

inline constexpr int kThreads = 256;  ///< of a block, where a kernel has no reason for another

/// Of the current device.
int multiprocessors();

/// Blocks for so many threads' work, and at most `waves` times what the device runs at once: the
/// kernels loop over what is left.
unsigned blocks_for(std::int64_t threads, int waves = 4);

}  // namespace paceline::cuda
