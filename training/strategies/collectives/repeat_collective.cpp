// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/repeat_collective.hpp"

namespace paceline {

CollectiveCall whole_call(const Plan& plan, RoleId me, int slices) {
  CollectiveCall call;
  call.schedule = plan.schedule.get();
  call.rank = me;
  call.slice = plan.whole();
  call.slices = slices;
  return call;
}

Task<> repeat_collective(const Plan& plan, Operation operation, int slices, Backend& backend,
                         RoleId me) {
  const SharedSchedule gather = barrier(plan.workers);
  CollectiveCall meet;
  meet.schedule = gather.get();
  meet.rank = me;
  const CollectiveCall call = whole_call(plan, me, slices);
  for (std::int64_t i = 0; i < plan.updates; ++i) {
    if (call.schedule != nullptr) {  // a library's call begins with the last rank, and ends for all
      const Task<Reduced> met = run_schedule(meet, backend, {});
      const Reduced here = co_await met;
      co_await backend.finished(me, here.summed);
      co_await backend.finished(me, here.sent);
    }
    backend.report_begun(me, i);
    Reduced done;
    if (call.schedule != nullptr) {
      const Task<Reduced> exchange = run_schedule(call, backend, {});
      done = co_await exchange;
    } else if (plan.workers > 1) {
      done.summed =
          backend.collective({me, StreamKind::push}, {call.slice, plan.workers, operation});
    }
    co_await backend.finished(me, done.summed);
    co_await backend.finished(me, done.sent);
    backend.report_updated(me, i + 1);
  }
}

}  // namespace paceline
