// SPDX-License-Identifier: MIT
/// \file
/// Dropout whose draws are functions of (key, worker, step, layer, element): nothing is stored
/// between the passes, and whoever asks again gets the same.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Where a kernel finds what of a mini-batch keys its draws, in device memory.
struct DrawKeys {
  const std::uint32_t* key = nullptr;     ///< [2]
  const std::uint32_t* worker = nullptr;  ///< below 65536
  const std::uint32_t* step = nullptr;    ///< [2], low and high word; below 2^48
};

/// Writes each element, in the order of memory, times 1 / (1 - rate) with probability 1 - rate and
/// 0 otherwise, or adds that to what is there. `layer` is below 65536. Forward and backward alike;
/// `to` may be `from`.
void drop_out(const void* from, void* to, bool adds, double rate, std::uint32_t layer,
              const DrawKeys& keys, Element element, std::int64_t elements, cudaStream_t stream);

}  // namespace paceline::cuda
