// SPDX-License-Identifier: MIT
/// \file
/// Runs a repeat without events where that gives the same times (lane_machine.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "sim/costs/prediction.hpp"

namespace paceline {

/// Runs `plan`, of a repeat, and reports to its observer. Returns the lanes; 0, and nothing is
/// reported, where it needs events.
std::size_t run_in_lanes(const Prediction& prediction, const Plan& plan, std::uint32_t repeat);

}  // namespace paceline
