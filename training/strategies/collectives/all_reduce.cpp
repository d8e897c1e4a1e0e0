// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

#include <algorithm>
#include <array>

#include "training/strategies/checkpoints.hpp"
#include "training/strategies/encoded_gradient.hpp"
#include "training/strategies/mini_batches.hpp"
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

/// The exchange of each bucket, with a landing of its own from `landing` on.
std::vector<CollectiveCall> calls_of(const Plan& plan, const AllReduce& algorithm, RoleId me,
                                     std::int64_t landing = 0) {
  std::vector<CollectiveCall> calls;
  const EncodedGradient encoded(plan);
  for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
    const Bucket& bucket = plan.cut.buckets[i];
    const bool rows = bucket.codec.kind == GradientCodec::Kind::rows;
    CollectiveCall& call = calls.emplace_back();
    call.schedule = rows ? plan.schedule_of_rows.get() : plan.schedule.get();
    call.rank = me;
    call.slice = bucket.slice;
    if (bucket.codec) {
      call.codec = bucket.codec;
      call.decoded = bucket.slice;
      call.slice = encoded.piece(i).sent();
      call.buffer = Buffer::encoded;
    }
    call.landing = landing;
    if (!rows) call.slices = algorithm.slices(call.slice.bytes, plan.workers);
    if (call.schedule != nullptr) landing += landing_size(call);
  }
  return calls;
}

/// The landing after the last call's.
std::int64_t end_of(const std::vector<CollectiveCall>& calls) {
  const CollectiveCall& last = calls.back();
  return last.landing + (last.schedule != nullptr ? landing_size(last) : 0);
}

/// The calls of even updates and of odd ones. Where a rank may begin the next exchange before
/// another has added what this one brought, they need landings of their own.
std::array<std::vector<CollectiveCall>, 2> rounds_of(const Plan& plan, const AllReduce& algorithm,
                                                     RoleId me) {
  const std::vector<CollectiveCall> even = calls_of(plan, algorithm, me);
  const bool overtakes = std::ranges::any_of(even, [](const CollectiveCall& call) {
    return call.schedule != nullptr && call.schedule->overtakes();
  });
  return {even, overtakes ? calls_of(plan, algorithm, me, end_of(even)) : even};
}

}  // namespace

std::int64_t landing_size(const AllReduce& algorithm, const Plan& plan) {
  return end_of(rounds_of(plan, algorithm, 0)[1]);
}

namespace {

/// The part of a worker before and after the exchange of a bucket, where gradients are encoded.
class Encoding {
 public:
  Encoding(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me), encoded_(plan) {}

  /// \param ready the bucket's gradient is there
  Token before(std::int64_t step, std::size_t bucket, Token ready) {
    const EncodedGradient::Piece& piece = encoded_.piece(bucket);
    if (!piece.codec || plan_.workers == 1) return ready;
    const Token encoded = queue_encoding(backend_, {me_, step}, piece, ready);
    // of what cannot be added, the sum begins with the worker's own, as the others see it
    return piece.codec.adds() ? encoded : decode(bucket, encoded);
  }
  Reduced after(std::size_t bucket, const Reduced& reduced) {
    if (plan_.workers == 1 || !encoded_.piece(bucket).codec.adds()) return reduced;
    return {decode(bucket, reduced.summed), reduced.sent};
  }

 private:
  Token decode(std::size_t bucket, Token after) {
    const EncodedGradient::Piece& piece = encoded_.piece(bucket);
    Command::Decode decode{{me_, Buffer::gradient}, {me_, Buffer::encoded}, piece.slice, piece.at};
    decode.codec = piece.codec;
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
  const auto rounds = rounds_of(plan, algorithm, me);
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  MiniBatches mini_batches(plan, backend, me);
  Checkpoints checkpoints(plan, backend, me);
  Encoding encoding(plan, backend, me);
  Reduced reduced;
  Token updated;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    mini_batches.queue_for_update(update, buckets);
    const WorkId last_step{me, (update + 1) * plan.rule.steps() - 1};
    for (std::size_t i = 0; i < plan.cut.buckets.size(); ++i) {
      const Token computed = i == 0
                                 ? queue_link_delay(plan, backend, last_step, buckets[0].gradient)
                                 : buckets[i].gradient;
      const Token ready = encoding.before(last_step.step, i, computed);
      const CollectiveCall& call = rounds[static_cast<std::size_t>(update % 2)][i];
      if (call.schedule != nullptr) {
        const Task<Reduced> exchange = run_schedule(call, backend, ready);
        reduced = co_await exchange;
      } else if (plan.workers == 1) {
        reduced = {ready, ready};
      } else {
        Command::Collective sum{call.slice, plan.workers};
        sum.halves = call.codec.adds();
        const Token done = backend.collective({me, StreamKind::push}, sum, ready);
        reduced = {done, done};
      }
      reduced = encoding.after(i, reduced);
    }
    const Token last = updated;
    updated = queue_replica_update(plan, backend, me, update + 1, plan.workers,
                                   {reduced.summed, reduced.sent});
    updated = checkpoints.queue(update + 1, updated);
    // one update is queued ahead, so that the device does not wait for the host
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me) {
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  MiniBatches mini_batches(plan, backend, me);
  Checkpoints checkpoints(plan, backend, me);
  Token updated;
  for (std::int64_t step = 0; step < plan.updates; ++step) {
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
    mini_batches.queue(step, buckets);
    const Token last = updated;
    updated = queue_replica_update(plan, backend, me, step + 1, 1);
    updated = checkpoints.queue(step + 1, updated);
    co_await backend.finished(me, last);
  }
  co_await backend.finished(me, updated);
}

}  // namespace paceline
