// SPDX-License-Identifier: MIT
/// \file
/// Device memory that encodings of gradients use between their kernels. One call at a time uses it:
/// a stream has its own.
#pragma once
#include <cstddef>

namespace paceline::cuda {

inline constexpr unsigned kMostEncodingBlocks = 512;
inline constexpr std::size_t kEncodingScratch = 32 * kMostEncodingBlocks;  ///< bytes

}  // namespace paceline::cuda
