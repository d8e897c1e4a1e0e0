// SPDX-License-Identifier: MIT
/// \file
/// How many lanes stand for the workers of a run: as few as there are workers that differ.
#pragma once
#include <string>

#include "sim/ahead/schedule_costs.hpp"
#include "sim/costs/costs.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Whether workers that are equal modulo `lanes` cost the same, and no costs are drawn at random.
bool costs_fold(const Plan& plan, const Costs& costs, int lanes);

/// Whether a delay is drawn for each worker.
inline bool draws_delays(const Plan& plan) {
  return plan.delay || plan.backward_delay || plan.link_delay;
}

/// The least number of lanes that gives the times of all workers, delays aside: one, those of a
/// computer or of several, or all.
int least_lanes(const Plan& plan, const Costs& costs, const ScheduleCosts& links);

/// Why in a plan with `draws: extremes` more counts than the longest delay of the workers that a
/// lane stands for, of `lanes`; "" if nothing does.
std::string more_than_last_counts(const Plan& plan, const Costs& costs, const ScheduleCosts& links,
                                  int lanes);

}  // namespace paceline
