// SPDX-License-Identifier: MIT
/// \file
/// The kernels of attention: products of queries and keys, and of shares and values, and what lies
/// between them.
#pragma once
#include "sim/costs/layer_kernels.hpp"

namespace paceline {

/// Requires a layer of attention.
LayerKernels attention_kernels(const Layer& layer, const StepOnGpu& step);

}  // namespace paceline
