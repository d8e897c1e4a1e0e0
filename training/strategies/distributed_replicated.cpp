// SPDX-License-Identifier: MIT
#include "training/strategies/distributed_replicated.hpp"

#include <array>
#include <span>
#include <utility>

#include "training/strategies/collectives/phases.hpp"
#include "training/strategies/distributed_replicated_messages.hpp"
#include "training/strategies/message_ends.hpp"
#include "training/strategies/mini_batches.hpp"
#include "training/strategies/own_weights.hpp"
#include "training/strategies/scattered_mini_batch.hpp"

namespace paceline {
namespace {

using grouped::Kinds;
using grouped::Losses;
using grouped::Outputs;
using grouped::Sum;
using grouped::Weights;

struct Ends {
  MessageEnds ends;
  bool operator()(const Sum&) const { return ends.from_worker_to_shard(); }
  bool operator()(const Weights&) const { return ends.from_shard_to_worker(); }
  bool operator()(const Outputs&) const { return ends.from_worker_to_shard(); }
  bool operator()(const Losses&) const { return ends.from_shard_to_worker(); }
};

/// The same schedule for each group.
SharedSchedule in_groups(const Grouping& groups, SharedSchedule (*make)(int ranks)) {
  std::vector<Team> teams;
  for (int group = 0; group < groups.count(); ++group) {
    const int size = groups.size_of(group);
    teams.push_back({.first_place = groups.begin_of(group),
                     .size = size,
                     .schedule = make(size),
                     .order = groups.order()});
  }
  return std::make_shared<Phases>(groups.workers(), 1, std::vector<std::vector<Team>>{teams});
}

CollectiveCall call_of(const CollectiveSchedule& schedule, RoleId me, const Slice& slice,
                       Buffer buffer) {
  CollectiveCall call;
  call.schedule = &schedule;
  call.rank = me;
  call.slice = slice;
  call.buffer = buffer;
  return call;
}

/// The reductions of all buckets, each with a landing of its own, from `landing` on.
std::vector<CollectiveCall> reductions_of(const Plan& plan, const WorkerGroups& groups, RoleId me,
                                          std::int64_t landing = 0) {
  std::vector<CollectiveCall> calls;
  for (const Bucket& bucket : plan.cut.buckets) {
    CollectiveCall& call =
        calls.emplace_back(call_of(*groups.reduce, me, bucket.slice, Buffer::gradient));
    call.landing = landing;
    landing += landing_size(call);
  }
  return calls;
}

/// Parameters of the landing that follows a worker's reductions.
std::int64_t end_of(const std::vector<CollectiveCall>& reductions) {
  return reductions.back().landing + landing_size(reductions.back());
}

/// A worker towards the servers: of a group the first, but where each fetches.
class Envoy {
 public:
  Envoy(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me)
      : plan_(plan),
        backend_(backend),
        me_(me),
        group_(groups.group_of(me)),
        groups_(groups.count()),
        number_(groups.each_fetches ? me : group_),
        numbers_(groups.each_fetches ? plan.workers : groups_) {}

  /// Queues the pushes of a bucket's sum. Returns the last.
  Token push(const Slice& bucket, Token summed) {
    for (int turn = 0; turn < plan_.shards; ++turn) {
      const int shard = plan_.shard_in_turn(group_, groups_, turn);
      const Slice slice = overlap_of(bucket, plan_.cut.shards[static_cast<std::size_t>(shard)]);
      if (slice.size() == 0) continue;
      pushed_ = backend_.copy(
          {me_, StreamKind::push},
          {{me_, Buffer::gradient}, {plan_.server(shard), Buffer::landing, group_}, slice}, {},
          summed);
    }
    return pushed_;
  }
  /// \param fetched the current weights have been read
  void report(std::int64_t version, Token fetched) {
    for (int shard = 0; shard < plan_.shards; ++shard) {
      backend_.send(plan_.server(shard), Kinds::make(me_, Sum{version}), {pushed_, fetched});
    }
  }
  /// Queues the copies of a bucket's weights.
  Token fetch(const Slice& bucket, const BufferRef& into, Token unread) {
    Token last = unread;
    for (int turn = 0; turn < plan_.shards; ++turn) {
      const int shard = plan_.shard_in_turn(number_, numbers_, turn);
      const Slice slice = overlap_of(bucket, plan_.cut.shards[static_cast<std::size_t>(shard)]);
      if (slice.size() == 0) continue;
      const BufferRef served{plan_.server(shard), Buffer::weights};
      last = backend_.copy({me_, StreamKind::fetch}, {served, into, slice}, {}, unread);
    }
    return last;
  }

 private:
  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  std::int32_t group_;
  int groups_;
  int number_, numbers_;  ///< of this fetcher, and of all: workers or groups
  Token pushed_;
};

/// The weights of a worker, as they come from the servers and within its group.
class WeightsOfGroup {
 public:
  WeightsOfGroup(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me)
      : plan_(plan), groups_(groups), backend_(backend), me_(me) {}

  /// Fetches the current weights once the shards have them, or gets them from the group's first.
  /// \param unread nothing reads the weights any more that they replace
  /// \param buckets get their tokens; empty: none
  Task<> fetch(std::int64_t update, Envoy& envoy, Token unread, std::span<BucketTokens> buckets) {
    const bool fetches = groups_.fetches(me_);
    for (int shard = 0; fetches && shard < plan_.shards; ++shard) co_await backend_.receive(me_);
    BufferRef into{me_, Buffer::weights};
    if (groups_.staged) into = incoming(update);
    for (std::size_t i = plan_.cut.buckets.size(); i-- > 0;) {  // as forward needs them
      const Slice& slice = plan_.cut.buckets[i].slice;
      const Token fetched = fetches ? envoy.fetch(slice, into, unread) : unread;
      last_ = fetched;
      if (!groups_.each_fetches) {
        CollectiveCall call = call_of(*groups_.broadcast, me_, slice, into.buffer);
        call.slot = into.slot;
        const Task<Reduced> broadcast = run_schedule(call, backend_, fetched);
        const Reduced weights = co_await broadcast;
        last_ = weights.summed;
        passed_on_ = weights.sent;
      }
      if (!buckets.empty()) buckets[i].weights = last_;
    }
    if (plan_.overlap) co_return;
    for (BucketTokens& bucket : buckets) bucket.weights = last_;
  }

  /// Staged: those that have arrived replace those of the mini-batch before.
  void adopt(std::int64_t update, std::span<BucketTokens> buckets) {
    if (update == 0) return;  // every worker begins with the weights
    last_ = backend_.assign({me_, StreamKind::compute},
                            {{me_, Buffer::weights}, incoming(update - 1), plan_.whole()}, last_);
    for (BucketTokens& bucket : buckets) bucket.weights = last_;
  }

  /// The last fetch or adoption.
  Token last() const { return last_; }
  /// The group has got the last fetched weights from this worker, which may now change them.
  Token passed_on() const { return passed_on_; }

 private:
  BufferRef incoming(std::int64_t update) const {
    return {me_, Buffer::incoming, static_cast<std::int32_t>(update % groups_.incoming_slots())};
  }

  const Plan& plan_;
  const WorkerGroups& groups_;
  Backend& backend_;
  RoleId me_;
  Token last_, passed_on_;
};

}  // namespace

WorkerGroups::WorkerGroups(Grouping of_workers, bool are_staged)
    : grouping(std::move(of_workers)), staged(are_staged) {
  reduce = in_groups(grouping, binomial_reduce);
  broadcast = in_groups(grouping, binomial_broadcast);
}

Task<> grouped_worker(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me) {
  // staged, a worker may send its next gradient before this one's is summed, but not the one after
  std::array rounds{reductions_of(plan, groups, me), std::vector<CollectiveCall>{}};
  rounds[1] = groups.staged ? reductions_of(plan, groups, me, end_of(rounds[0])) : rounds[0];
  const bool speaks = groups.is_first(me);
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  MiniBatches mini_batches(plan, backend, me);
  WeightsOfGroup weights(plan, groups, backend, me);
  Envoy envoy(plan, groups, backend, me);
  Token sent, sent_before;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    if (groups.staged) {
      weights.adopt(update, buckets);
    } else {
      const Task<> fetch = weights.fetch(update, envoy, sent, buckets);
      co_await fetch;
    }
    if (groups.scattered) {
      const Task<> mini_batch = scattered_mini_batch<Kinds>(plan, *groups.scattered, backend,
                                                            {me, update}, mini_batches, buckets);
      co_await mini_batch;
    } else {
      mini_batches.queue_for_update(update, buckets, weights.passed_on());
    }
    if (groups.staged) {
      const Task<> fetch = weights.fetch(update, envoy, weights.last(), {});
      co_await fetch;
    }
    const WorkId work{me, (update + 1) * plan.rule.steps() - 1};
    const std::vector<CollectiveCall>& reductions = rounds[static_cast<std::size_t>(update % 2)];
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Token ready =
          i == 0 ? queue_link_delay(plan, backend, work, buckets[0].gradient) : buckets[i].gradient;
      const Task<Reduced> sum = run_schedule(reductions[i], backend, ready);
      const Reduced reduced = co_await sum;
      sent = reduced.sent;
      const Slice& slice = reductions[i].slice;
      buckets[i].pushed = speaks ? envoy.push(slice, reduced.summed) : sent;
    }
    if (speaks) envoy.report(update, weights.last());
    // one update is queued ahead, so that the device does not wait for the host
    co_await backend.finished(me, std::exchange(sent_before, sent));
  }
  co_await backend.finished(me, sent);
  co_await backend.finished(me, buckets.back().gradient);
}

RoleBuffers grouped_buffers(const Plan& plan, const WorkerGroups& groups, RoleId role) {
  if (role < plan.workers) {
    RoleBuffers buffers = worker_buffers(plan, plan.rule.local_steps > 1);
    const std::int64_t landing =
        (groups.staged ? 2 : 1) * end_of(reductions_of(plan, groups, role));
    if (landing > 0) buffers.slots.push_back({Buffer::landing, 1, landing});
    if (groups.staged) buffers.slots.push_back({Buffer::incoming, groups.incoming_slots()});
    if (groups.scattered)
      buffers.slots.push_back({Buffer::landing, 1, ScatteredBatch::share(plan)});
    return buffers;
  }
  RoleBuffers buffers;
  buffers.part = plan.cut.shards[static_cast<std::size_t>(role - plan.workers)];
  buffers.slots = {{Buffer::landing, groups.count()}, {Buffer::weights}};
  if (groups.scattered) buffers.slots.push_back({Buffer::gradient, 1, ScatteredBatch::whole(plan)});
  buffers.optimizes = plan.rule.local_steps == 1;
  return buffers;
}

bool is_grouped_message(const Plan& plan, RoleId to, const Message& message) {
  return is_sound_between<Kinds, Ends>(plan, to, message);
}

}  // namespace paceline
