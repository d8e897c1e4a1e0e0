// SPDX-License-Identifier: MIT
/// \file
/// ReLU, sums of tensors, and handing a gradient down to the tensors that were summed. Any two of
/// the tensors may be the same.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

inline constexpr int kMostTerms = 8;  ///< that one launch reads or writes

struct Terms {
  const void* values[kMostTerms];
  int count = 0;  ///< at least 1
};
/// The sum of the terms, rounded once; with `relu`, what of it is positive.
void sum_tensors(const Terms& terms, void* sum, bool relu, Element element, std::int64_t elements,
                 cudaStream_t stream);

struct Receivers {
  void* gradients[kMostTerms];
  bool adds[kMostTerms];
  int count = 0;
};
/// Gives `gradient` to each receiver in turn; where `output` is not null only where it is positive
/// (0 elsewhere).
void pass_gradient(const void* gradient, const void* output, const Receivers& receivers,
                   Element element, std::int64_t elements, cudaStream_t stream);

}  // namespace paceline::cuda
