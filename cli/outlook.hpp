// SPDX-License-Identifier: MIT
/// \file
/// Forecasts the run of a file: the number of points, where each is executed, the source of the
/// layer times and the approximate duration. Measures and trains nothing.
#pragma once
#include <string>

#include "cli/execution_device.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The forecast in a few lines. `profile` is that of this computer; null before the first
/// calibration.
std::string outlook(const ExperimentFile& file, ExecutionDevices& devices, const Profile* profile);

}  // namespace paceline
