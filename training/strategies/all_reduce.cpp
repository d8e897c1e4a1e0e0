// SPDX-License-Identifier: MIT
#include "training/strategies/all_reduce.hpp"

namespace paceline {

const Family<AllReduce>& table_of(const AllReduce*) {
  static const Family<AllReduce> table{"all-reduce algorithm",
                                       {ring_all_reduce(), nccl_all_reduce()}};
  return table;
}

Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend,
                         RoleId me) {
  const BufferRef weights{me, Buffer::weights, 0, plan.whole()};
  const BufferRef gradient{me, Buffer::gradient, 0, plan.whole()};
  const float scale = 1.0F / static_cast<float>(plan.workers);
  MiniBatch batch;
  std::vector<Token> have(plan.cut.buckets.size());
  Reduced reduced;
  Token updated;
  for (std::int64_t step = 0; step < plan.updates; ++step) {
    for (Token& token : have) token = updated;
    queue_mini_batch(plan, backend, {me, step}, have, batch);
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Task<Reduced> exchange =
          algorithm.reduce(plan, backend, me, plan.cut.buckets[i].slice, batch.gradient[i]);
      reduced = co_await exchange;
    }
    const Token last = updated;
    updated = backend.update({me, StreamKind::compute}, weights, gradient, scale, step + 1,
                             After(reduced.summed, reduced.sent));
    // one step is queued ahead, so that the device never waits for the host
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me) {
  const BufferRef weights{me, Buffer::weights, 0, plan.whole()};
  const BufferRef gradient{me, Buffer::gradient, 0, plan.whole()};
  MiniBatch batch;
  std::vector<Token> have(plan.cut.buckets.size());
  Token updated;
  for (std::int64_t step = 0; step < plan.updates; ++step) {
    for (Token& token : have) token = updated;
    queue_mini_batch(plan, backend, {me, step}, have, batch);
    const Token last = updated;
    updated = backend.update({me, StreamKind::compute}, weights, gradient, 1, step + 1);
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

}  // namespace paceline
