// SPDX-License-Identifier: MIT
/// \file
/// The overheads of one GPU's operations (launches, decisions, delays) and the copy bandwidth of
/// its memory.
#pragma once
#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/gpu_profile.hpp"

namespace paceline::cuda {

/// Measures GPU number `gpu`, described by `facts`. Throws Error.
GpuProfile measure_gpu(int gpu, const GpuFacts& facts, Effort effort);

}  // namespace paceline::cuda
