// SPDX-License-Identifier: MIT
/// \file
/// What a precision costs in bytes. The names are beside the GPU's peaks, in topology/gpu.hpp.
#pragma once
#include "experiments/units.hpp"
#include "topology/gpu.hpp"

namespace paceline {

/// Bytes of one activation. Master weights, gradients and optimizer state are fp32 throughout.
constexpr Bytes element_size(Precision precision) {
  const bool half = precision == Precision::fp16 || precision == Precision::bf16;
  return Bytes{half ? 2.0 : 4.0};
}

}  // namespace paceline
