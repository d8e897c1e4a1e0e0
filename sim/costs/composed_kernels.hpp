// SPDX-License-Identifier: MIT
/// \file
/// The kernels of a function that a software stack composes of several.
#pragma once
#include "sim/costs/layer_kernels.hpp"

namespace paceline {

/// One kernel that stands for all of them; `array` is what one pass reads or writes.
inline Kernel composed_kernel(const ComposedPass& pass, Bytes array) {
  Kernel kernel{{}, array * (pass.passes / pass.operations)};
  kernel.repeats = pass.operations;
  return kernel;
}

}  // namespace paceline
