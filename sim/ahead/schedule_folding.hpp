// SPDX-License-Identifier: MIT
/// \file
/// Which ranks of a schedule are equal. Ranks that are equal modulo a number of lanes do the same
/// in every step, over equal links and with partners that are equal too, so that one of them stands
/// for all: a flat ring folds to one lane, the nodes of a cluster under a hierarchical all-reduce
/// or one on rails to the ranks of a node, or of as many nodes as a leaf has.
#pragma once
#include <cstddef>
#include <vector>

#include "sim/ahead/schedule_costs.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Numbers of lanes to which the ranks may fold: one, those of a computer with `neighbours` ranks,
/// or those of as many computers as it takes until the links between them repeat.
std::vector<int> lanes_to_try(int ranks, int neighbours, const ScheduleCosts& costs);

/// Whether rank r stands for all ranks equal to r modulo `lanes`, a divisor of the ranks.
bool folds_to(const CollectiveSchedule& schedule, const ScheduleCosts& costs, std::size_t lanes);

}  // namespace paceline
