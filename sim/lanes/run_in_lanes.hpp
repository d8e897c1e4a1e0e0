// SPDX-License-Identifier: MIT
/// \file
/// Runs a repeat without events where that gives the same times (lane_machine.hpp).
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// Runs `plan` and reports to its observer; false, and nothing is reported, where it needs events.
bool run_in_lanes(const Prediction& prediction, const Plan& plan, const Costs& costs);

}  // namespace paceline
