// SPDX-License-Identifier: MIT
/// \file
/// Whether of equal ranks only the last counts: whichever of them it is, all end when they would
/// if all had been as late. A ring of equal links is of this kind: after as many sums as there are
/// other ranks, each has waited for all, and every way from one rank to another takes as many equal
/// copies. Where links differ it is not, since a way along the slowest link takes longer.
#pragma once
#include <cstddef>

#include "sim/ahead/schedule_costs.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Of ranks that are equal modulo `lanes`, of an all-reduce that folds to these
/// (schedule_folding.hpp): what ranks of different blocks of `lanes` do together.
bool last_counts(const CollectiveSchedule& schedule, const ScheduleCosts& costs, std::size_t lanes);

/// The longest decision of a host for which no host is late, whatever ranks wait for.
/// \param part bytes of a part, of the smallest call
std::int64_t longest_decision_ps(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
                                 std::size_t lanes, double part);

}  // namespace paceline
