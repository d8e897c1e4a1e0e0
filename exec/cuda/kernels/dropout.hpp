// SPDX-License-Identifier: MIT
/// \file
/// Dropout: which elements stay is training/random/dropout_mask's to say, so nothing is stored
/// between the passes, and the host and every layout keep the same.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Where a kernel finds what of a mini-batch keys its draws, in device memory.
struct DrawKeys {
  const std::uint32_t* key = nullptr;  ///< [2]
  const std::uint32_t* worker = nullptr;
  const std::uint32_t* step = nullptr;  ///< [2], low and high word
};

struct DropoutShape {
  Element element = Element::fp32;
  bool channels_last = false;
  int items = 0;
  int channels = 0;
  int pixels = 0;
  double rate = 0;          ///< share that becomes 0, below 1
  std::uint32_t layer = 0;  ///< its index in the network
};

/// Writes each kept element times 1 / (1 - rate) and 0 for the others, or adds that to what is
/// there. Forward and backward alike; `to` may be `from`.
void drop_out(const DropoutShape& shape, const void* from, void* to, bool adds,
              const DrawKeys& keys, cudaStream_t stream);

}  // namespace paceline::cuda
