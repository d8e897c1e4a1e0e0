// SPDX-License-Identifier: MIT
/// \file
/// The number of blocks of a kernel launch.
#pragma once
#include <cstdint>

namespace paceline::cuda {

inline constexpr int kThreads = 256;  ///< per block, unless a kernel needs another size

/// Number of multiprocessors of the current device.
int multiprocessors();

/// Blocks of kThreads threads of a kernel that a multiprocessor runs at once, at least 1.
int resident_blocks(const void* kernel);

/// Blocks for `threads` threads, limited to `waves` times the number that the device runs at once:
/// the kernels loop over the rest.
unsigned blocks_for(std::int64_t threads, int waves = 4);

}  // namespace paceline::cuda
