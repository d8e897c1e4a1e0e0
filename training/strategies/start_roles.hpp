// SPDX-License-Identifier: MIT
/// \file
/// The start of a strategy: the program of each role on a clock.
#pragma once
#include <optional>

#include "training/runtime/op_graph.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {

/// Starts the roles that `process` runs, or all roles; their coroutines begin in the clock's first
/// `run_ready`. The arguments must outlive the roles.
void start_roles(const Aggregation& aggregation, const Plan& plan, OpGraph& clock,
                 std::optional<int> process = {});

}  // namespace paceline
