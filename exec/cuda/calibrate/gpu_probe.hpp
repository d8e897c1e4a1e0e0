// SPDX-License-Identifier: MIT
/// \file
/// What one GPU's operations cost beside their work: launches, decisions, delays; and how fast its
/// memory copies.
#pragma once
#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/gpu_profile.hpp"

namespace paceline::cuda {

/// Measures GPU number `gpu`, of which `facts` are. Throws Error.
GpuProfile measure_gpu(int gpu, const GpuFacts& facts, Effort effort);

}  // namespace paceline::cuda
