// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

#include "training/strategies/delayed_mini_batch.hpp"
#include "training/strategies/encoded_gradient.hpp"
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
  const EncodedGradient encoded(plan);
  for (const Bucket& bucket : plan.cut.buckets) {
    const std::size_t number = calls.size();
    CollectiveCall& call = calls.emplace_back();
    call.schedule = plan.schedule.get();
    call.rank = me;
    call.slice = bucket.slice;
    if (plan.codec) {
      call.codec = plan.codec;
      call.decoded = bucket.slice;
      call.slice = encoded.piece(number).encoded();
      call.buffer = Buffer::encoded;
    }
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
  return (plan.schedule->overtakes() ? 2 : 1) * (last.landing + landing_size(last));
}

namespace {

/// The part of a worker before and after the exchange of a bucket, where gradients are encoded.
class Encoding {
 public:
  Encoding(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me), encoded_(plan) {}

  /// \param ready the bucket's gradient is there
  Token before(std::int64_t step, std::size_t bucket, Token ready) {
    if (!plan_.codec || plan_.workers == 1) return ready;
    const EncodedGradient::Piece& piece = encoded_.piece(bucket);
    const Token encoded = queue_encoding(plan_, backend_, {me_, step}, piece, ready);
    // of what cannot be added, the sum begins with the worker's own, as the others see it
    return plan_.codec.adds() ? encoded : decode(bucket, encoded);
  }
  Reduced after(std::size_t bucket, const Reduced& reduced) {
    if (!plan_.codec || plan_.workers == 1 || !plan_.codec.adds()) return reduced;
    return {decode(bucket, reduced.summed), reduced.sent};
  }

 private:
  Token decode(std::size_t bucket, Token after) {
    const EncodedGradient::Piece& piece = encoded_.piece(bucket);
    Command::Decode decode{{me_, Buffer::gradient}, {me_, Buffer::encoded}, piece.slice, piece.at};
    decode.codec = plan_.codec;
    decode.fresh = true;
    return backend_.submit({me_, StreamKind::push}, {{}, decode}, after);
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  EncodedGradient encoded_;
};

}  // namespace

Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend,
                         RoleId me) {
  const std::vector<CollectiveCall> calls = calls_of(plan, algorithm, me);
  const bool overtakes = plan.schedule != nullptr && plan.schedule->overtakes();
  const std::int64_t other_landing = overtakes ? landing_size(algorithm, plan) / 2 : 0;
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  Encoding encoding(plan, backend, me);
  Reduced reduced;
  Token updated;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    queue_mini_batches(plan, backend, me, update, buckets);
    const WorkId last_step{me, (update + 1) * plan.rule.local_steps - 1};
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Token computed = i == 0
                                 ? queue_link_delay(plan, backend, last_step, buckets[0].gradient)
                                 : buckets[i].gradient;
      const Token ready = encoding.before(last_step.step, i, computed);
      if (plan.schedule != nullptr) {
        CollectiveCall call = calls[i];
        call.landing += update % 2 * other_landing;
        const Task<Reduced> exchange = run_schedule(call, backend, ready);
        reduced = co_await exchange;
      } else if (plan.workers == 1) {
        reduced = {ready, ready};
      } else {
        Command::Collective sum{calls[i].slice, plan.workers};
        sum.halves = plan.codec.adds();
        const Token done = backend.collective({me, StreamKind::push}, sum, ready);
        reduced = {done, done};
      }
      reduced = encoding.after(i, reduced);
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
