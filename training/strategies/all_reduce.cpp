// SPDX-License-Identifier: MIT
#include "training/strategies/all_reduce.hpp"

namespace paceline {

const Family<AllReduce>& table_of(const AllReduce*) {
  static const Family<AllReduce> table{"all-reduce algorithm",
                                       {ring_all_reduce(), nccl_all_reduce()}};
  return table;
}

namespace {

/// The mini-batches of one update: one, or H on weights of the worker's own.
void queue_mini_batches(const Plan& plan, Backend& backend, RoleId me, std::int64_t update,
                        std::vector<Token>& have, MiniBatch& batch) {
  const int steps = plan.rule.local_steps;
  for (std::int64_t step = update * steps; step < (update + 1) * steps; ++step) {
    queue_mini_batch(plan, backend, {me, step}, have, batch);
    if (steps == 1) return;
    const Token updated = queue_local_update(plan, backend, {me, step});
    for (Token& token : have) token = updated;
  }
  // what is summed is the weights themselves
  const Token ready =
      backend.assign({me, StreamKind::compute}, {me, Buffer::gradient, 0, plan.whole()},
                     {me, Buffer::weights, 0, plan.whole()}, 1, 0);
  for (Token& token : batch.gradient) token = ready;
}

}  // namespace

Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend,
                         RoleId me) {
  const Stream compute{me, StreamKind::compute};
  const BufferRef weights{me, Buffer::weights, 0, plan.whole()};
  const BufferRef gradient{me, Buffer::gradient, 0, plan.whole()};
  MiniBatch batch;
  std::vector<Token> have(plan.cut.buckets.size());
  Reduced reduced;
  Token updated;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    for (Token& token : have) token = updated;
    queue_mini_batches(plan, backend, me, update, have, batch);
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Task<Reduced> exchange =
          algorithm.reduce(plan, backend, me, plan.cut.buckets[i].slice, batch.gradient[i]);
      reduced = co_await exchange;
    }
    const Token last = updated;
    UpdateMoment moment;
    moment.scale = 1.0F / static_cast<float>(plan.workers);
    moment.version = update + 1;
    moment.age.rounds = static_cast<double>(update);
    const After summed(reduced.summed, reduced.sent);
    updated = plan.rule.local_steps > 1
                  ? backend.assign(compute, weights, gradient, moment.scale, moment.version, summed)
                  : backend.update(compute, weights, gradient, moment, summed);
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
    UpdateMoment moment;
    moment.version = step + 1;
    moment.age.rounds = static_cast<double>(step);
    updated = backend.update({me, StreamKind::compute}, weights, gradient, moment);
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

}  // namespace paceline
