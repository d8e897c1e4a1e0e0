// SPDX-License-Identifier: MIT
/// \file
/// Runs a repeat without events where that gives the same times (lane_machine.hpp).
#pragma once
#include <cstddef>

#include "sim/costs/prediction.hpp"

namespace paceline {

/// Runs `plan` and reports to its observer. Returns the lanes; 0, and nothing is reported, where it
/// needs events.
std::size_t run_in_lanes(const Prediction& prediction, const Plan& plan, const Costs& costs);

}  // namespace paceline
