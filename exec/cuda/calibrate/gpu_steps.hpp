// SPDX-License-Identifier: MIT
/// \file
/// The calibration steps of this computer's GPUs, in order.
#pragma once
#include <filesystem>
#include <functional>

#include "exec/plugin/accelerator.hpp"
#include "training/profile/profile.hpp"

namespace paceline::cuda {

/// See Accelerator::calibration. Chosen algorithms are kept in `cache`; `reset` is called after a
/// fault that lost a device's context.
std::vector<CalibrationStep> gpu_steps(const AcceleratorFacts& facts, const GpuCalibration& what,
                                       const std::filesystem::path& cache,
                                       const std::function<void()>& reset, Profile& into);

}  // namespace paceline::cuda
