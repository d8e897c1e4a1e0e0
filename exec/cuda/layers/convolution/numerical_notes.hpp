// SPDX-License-Identifier: MIT
/// \file
/// cuDNN's notes on how an engine computes, and which are allowed.
#pragma once
#include <span>

#include <cudnn.h>

#include "exec/cuda/layers/tensor.hpp"

namespace paceline::cuda {

/// Whether an engine with these notes has the precision's accuracy (it sums in fp32; fp32 inputs
/// are multiplied in fp32, or in tf32 if that is the precision, but never in 16 bits) and, with
/// `deterministic`, repeats to the bit.
bool permits(std::span<const cudnnBackendNumericalNote_t> notes, Precision precision,
             bool deterministic);

}  // namespace paceline::cuda
