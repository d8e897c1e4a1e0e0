// SPDX-License-Identifier: MIT
/// \file
/// A collective alone, as a benchmark repeats it.
#pragma once
#include "training/runtime/task.hpp"
#include "training/strategies/collectives/run_schedule.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// The call of `plan.schedule`, or of the machine's library, on the whole buffer.
CollectiveCall whole_call(const Plan& plan, RoleId me, int slices);

/// One rank of `plan.updates` collectives. Each begins when all ranks have left a barrier, or ended
/// a call of the library, so that none overlaps the one before. Each is reported to the observer:
/// `begun` then, `updated` at its end on the rank.
/// \param operation  of the library's call, where the plan has no schedule
/// \param slices  of the buffer, that follow each other through the schedule
Task<> repeat_collective(const Plan& plan, Operation operation, int slices, Backend& backend,
                         RoleId me);

}  // namespace paceline
