// SPDX-License-Identifier: MIT
/// \file
/// Runs a repeat without events where that gives the same times (lane_machine.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/costs/prediction.hpp"

namespace paceline {

/// Runs `plan`, of a repeat, and reports to its observer. Returns the lanes; 0, and nothing is
/// reported, where it needs events. A plan that draws extremes runs in lanes only.
std::size_t run_in_lanes(const Prediction& prediction, const Plan& plan, std::uint32_t repeat);

/// Why a point with `draws: extremes` cannot run so; "" if it can, or draws each delay.
std::string against_extremes(const Prediction& prediction);

}  // namespace paceline
