// SPDX-License-Identifier: MIT
/// \file
/// The bytes of values in each precision, and the layout that suits it. The names are beside the
/// GPU's peaks, in topology/gpu.hpp.
#pragma once
#include "experiments/language/units.hpp"
#include "topology/gpu.hpp"
#include "training/workload/tensor_layout.hpp"

namespace paceline {

/// Parameters are sent, and servers update them, in fp32 at every precision: masters are fp32.
inline constexpr double kBytesPerParameter = 4;

/// Bytes of one activation. Master weights, gradients and optimizer state are fp32 throughout.
constexpr Bytes element_size(Precision precision) {
  const bool half = precision == Precision::fp16 || precision == Precision::bf16;
  return Bytes{half ? 2.0 : 4.0};
}

/// The layout of which a GPU has the fastest convolutions: in 16 bits those of tensor cores.
constexpr Layout usual_layout(Precision precision) {
  const bool narrow = element_size(precision) < element_size(Precision::fp32);
  return narrow ? Layout::nhwc : Layout::nchw;
}

}  // namespace paceline
