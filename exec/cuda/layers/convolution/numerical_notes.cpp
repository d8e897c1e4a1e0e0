// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/numerical_notes.hpp"

#include <algorithm>

#include "exec/cuda/layers/convolution/problem.hpp"

namespace paceline::cuda {

bool permits(std::span<const cudnnBackendNumericalNote_t> notes, Precision precision,
             bool deterministic) {
  const bool fp32_inputs = element_of(precision) == Element::fp32;
  return std::ranges::none_of(notes, [&](cudnnBackendNumericalNote_t note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
        return true;
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        return fp32_inputs;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        return !uses_tensor_cores(precision);
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        return deterministic;
      default:
        return false;
    }
  });
}

}  // namespace paceline::cuda
