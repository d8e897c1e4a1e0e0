// SPDX-License-Identifier: MIT
/// \file
/// Which runs consist of workers that all-reduce and nothing else.
#pragma once
#include "sim/ahead/schedule_costs.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

/// Whether all workers run one program, and there are no other roles.
bool one_program(const Experiment& experiment, const Plan& plan);

/// The costs of the plan's schedule but for its links.
ScheduleCosts costs_of_schedule(const Plan& plan, const Costs& costs);

}  // namespace paceline
