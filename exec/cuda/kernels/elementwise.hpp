// SPDX-License-Identifier: MIT
/// \file
/// ReLU, sums of tensors, and distribution of a gradient to the terms of a sum. Any two of the
/// tensors may be the same.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

inline constexpr int kMostTerms = 8;  ///< of one launch

struct Terms {
  const void* values[kMostTerms];
  int count = 0;  ///< at least 1
};
/// The sum of the terms, rounded once; with `relu`, the ReLU of the sum.
void sum_tensors(const Terms& terms, void* sum, bool relu, Element element, std::int64_t elements,
                 cudaStream_t stream);

struct Receivers {
  void* gradients[kMostTerms];
  bool adds[kMostTerms];
  int count = 0;
};
/// Writes `gradient` to each receiver in turn, or adds it; with `output`, 0 where `output` is not
/// positive.
void pass_gradient(const void* gradient, const void* output, const Receivers& receivers,
                   Element element, std::int64_t elements, cudaStream_t stream);

}  // namespace paceline::cuda
