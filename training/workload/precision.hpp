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

constexpr bool in_16_bits(Precision precision) {
  return precision == Precision::fp16 || precision == Precision::bf16;
}

/// Bytes of one activation. Master weights, gradients and optimizer state are fp32 throughout.
constexpr Bytes element_size(Precision precision) {
  return Bytes{in_16_bits(precision) ? 2.0 : 4.0};
}

/// The layout of which a GPU has the fastest convolutions: in 16 bits those of tensor cores.
constexpr Layout usual_layout(Precision precision) {
  return in_16_bits(precision) ? Layout::nhwc : Layout::nchw;
}

}  // namespace paceline
