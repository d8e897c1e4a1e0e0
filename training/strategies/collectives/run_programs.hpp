// SPDX-License-Identifier: MIT
/// \file
/// Carries out the program of one rank, on any clock.
#pragma once
#include "training/strategies/collectives/rank_programs.hpp"
#include "training/strategies/collectives/run_schedule.hpp"

namespace paceline {

/// The parameters of the landing that a call of `programs` uses.
std::int64_t landing_size(const CollectiveCall& call, const RankPrograms& programs);

/// Carries out the rank's program. Every rank makes the same calls in the same order. The rank's
/// part is valid after `ready`.
Task<Reduced> run_programs(CollectiveCall call, const RankPrograms& programs, Backend& backend,
                           Token ready);

}  // namespace paceline
