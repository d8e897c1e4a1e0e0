// SPDX-License-Identifier: MIT
/// \file
/// Times NCCL's all-reduce over all GPUs, by size.
#pragma once
#include "exec/calibrate/step.hpp"
#include "training/profile/gpu_profile.hpp"

namespace paceline::cuda {

/// Requires at least two GPUs. Throws Error.
CollectiveProfile measure_sums(int gpus, Effort effort);

}  // namespace paceline::cuda
