// SPDX-License-Identifier: MIT
/// \file
/// What there is to measure of this computer's GPUs, in order.
#pragma once
#include <filesystem>
#include <functional>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// As Accelerator::calibration says. Chosen algorithms are kept in `cache`; `reset` is called where
/// a fault has lost a device's context.
std::vector<CalibrationStep> gpu_steps(const AcceleratorFacts& facts, const GpuCalibration& what,
                                       const std::filesystem::path& cache,
                                       const std::function<void()>& reset, Profile& into);

}  // namespace paceline::cuda
