// SPDX-License-Identifier: MIT
/// \file
/// What a run of a file would do, for somebody about to start it: how many points, where they are
/// executed, where the times of layers come from, about how long it takes. Measures nothing.
#pragma once
#include <string>

#include "cli/execution_device.hpp"

namespace paceline {

/// A few lines. `profile`: of this computer; null where it was not calibrated yet.
std::string outlook(const ExperimentFile& file, ExecutionDevices& devices, const Profile* profile);

}  // namespace paceline
