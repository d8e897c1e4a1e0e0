// SPDX-License-Identifier: MIT
/// \file
/// Dropout. training/workload/random/dropout_mask decides which elements are kept, so nothing is
/// stored between the passes, and the host and every layout keep the same elements.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Addresses of the values that key a mini-batch's draws, in device memory.
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
  double rate = 0;          ///< share of elements that become 0, below 1
  std::uint32_t layer = 0;  ///< index of the layer in the network
};

/// Multiplies kept elements by 1 / (1 - rate) and the others by 0; `adds`: adds to `to` instead of
/// overwriting it. The same for forward and backward; `to` may be `from`.
void drop_out(const DropoutShape& shape, const void* from, void* to, bool adds,
              const DrawKeys& keys, cudaStream_t stream);

}  // namespace paceline::cuda
