// SPDX-License-Identifier: MIT
/// \file
/// What a run of a file would do, before it is started: how many points, where they are
/// executed, where the times of layers come from, about how long it takes. Measures and trains
/// nothing.
#pragma once
#include <string>

#include "cli/execution_device.hpp"

namespace paceline {

/// A few lines. `profile`: of this computer; null where it was not calibrated yet.
std::string outlook(const ExperimentFile& file, ExecutionDevices& devices, const Profile* profile);

}  // namespace paceline
