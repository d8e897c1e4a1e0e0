// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

#include "training/strategies/delayed_mini_batch.hpp"
#include "training/strategies/own_weights.hpp"

namespace paceline {

const Family<AllReduce>& table_of(const AllReduce*) {
  static const Family<AllReduce> table{
      "all-reduce algorithm",
      {ring_all_reduce(), halving_doubling_all_reduce(), double_binary_tree_all_reduce(),
       hierarchical_all_reduce(), torus_all_reduce(), rails_all_reduce(), peer_to_peer_all_reduce(),
       msccl_all_reduce(), nccl_all_reduce()}};
  return table;
}

namespace {

/// The all-reduce of each bucket, with a landing of its own.
std::vector<CollectiveCall> calls_of(const Plan& plan, const AllReduce& algorithm, RoleId me) {
  std::vector<CollectiveCall> calls;
  std::int64_t landing = 0;
  for (const Bucket& bucket : plan.cut.buckets) {
    CollectiveCall& call = calls.emplace_back();
    call.schedule = plan.schedule.get();
    call.rank = me;
    call.slice = bucket.slice;
    call.landing = landing;
    call.slices = algorithm.slices();
    if (call.schedule != nullptr) landing += landing_size(call);
  }
  return calls;
}

}  // namespace

std::int64_t landing_size(const AllReduce& algorithm, const Plan& plan) {
  if (plan.schedule == nullptr) return 0;
  const CollectiveCall last = calls_of(plan, algorithm, 0).back();
  return last.landing + landing_size(last);
}

Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend,
                         RoleId me) {
  const std::vector<CollectiveCall> calls = calls_of(plan, algorithm, me);
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  Reduced reduced;
  Token updated;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    queue_mini_batches(plan, backend, me, update, buckets);
    const WorkId last_step{me, (update + 1) * plan.rule.local_steps - 1};
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Token ready = i == 0 ? queue_link_delay(plan, backend, last_step, buckets[0].gradient)
                                 : buckets[i].gradient;
      if (plan.schedule != nullptr) {
        const Task<Reduced> exchange = run_schedule(calls[i], backend, ready);
        reduced = co_await exchange;
      } else if (plan.workers == 1) {
        reduced = {ready, ready};
      } else {
        const Token done =
            backend.collective({me, StreamKind::push}, {calls[i].slice, plan.workers}, ready);
        reduced = {done, done};
      }
    }
    const Token last = updated;
    updated = queue_replica_update(plan, backend, me, update + 1, plan.workers,
                                   {reduced.summed, reduced.sent});
    // one update is queued ahead, so that the device does not wait for the host
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me) {
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  Token updated;
  for (std::int64_t step = 0; step < plan.updates; ++step) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    queue_mini_batch(plan, backend, {me, step}, buckets);
    const Token last = updated;
    updated = queue_replica_update(plan, backend, me, step + 1, 1);
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

}  // namespace paceline
