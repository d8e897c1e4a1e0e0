// SPDX-License-Identifier: MIT
/// \file
/// What NCCL's all-reduce over all GPUs takes, by size.
#pragma once
#include "exec/calibrate/step.hpp"
#include "training/profile/gpu_profile.hpp"

namespace paceline::cuda {

/// Requires two GPUs or more. Throws Error.
CollectiveProfile measure_sums(int gpus, Effort effort);

}  // namespace paceline::cuda
