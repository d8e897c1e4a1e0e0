// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

#include "training/strategies/delayed_mini_batch.hpp"
#include "training/strategies/own_weights.hpp"

namespace paceline {

const Family<AllReduce>& table_of(const AllReduce*) {
  static const Family<AllReduce> table{"all-reduce algorithm",
                                       {ring_all_reduce(), nccl_all_reduce()}};
  return table;
}

namespace {

/// Queues the mini-batches of one update: one, or H that each update the worker's own weights.
void queue_mini_batches(const Plan& plan, Backend& backend, RoleId me, std::int64_t update,
                        std::span<BucketTokens> buckets) {
  const int steps = plan.rule.local_steps;
  for (std::int64_t step = update * steps; step < (update + 1) * steps; ++step) {
    queue_mini_batch(plan, backend, {me, step}, buckets);
    if (steps == 1) return;
    const Token updated = queue_local_update(plan, backend, {me, step});
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
  }
  // of local steps the weights are summed, not the last gradient
  const Token ready = backend.assign({me, StreamKind::compute},
                                     {{me, Buffer::gradient}, {me, Buffer::weights}, plan.whole()});
  for (BucketTokens& bucket : buckets) bucket.gradient = ready;
}

}  // namespace

Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend,
                         RoleId me) {
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  Reduced reduced;
  Token updated;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    queue_mini_batches(plan, backend, me, update, buckets);
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Task<Reduced> exchange =
          algorithm.reduce(plan, backend, me, plan.cut.buckets[i].slice, buckets[i].gradient);
      reduced = co_await exchange;
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
