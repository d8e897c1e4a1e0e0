// SPDX-License-Identifier: MIT
#include "training/strategies/distributed_replicated.hpp"

#include <span>
#include <utility>

#include "training/strategies/collectives/phases.hpp"
#include "training/strategies/delayed_mini_batch.hpp"
#include "training/strategies/message_ends.hpp"
#include "training/strategies/own_weights.hpp"

namespace paceline {
namespace {

/// From the first worker of a group to a shard: the group's sum has arrived.
struct Sum {
  std::int64_t version = 0;  ///< of the weights that its gradients were computed at
};
/// From a shard to the first worker of each group: weights are there to fetch.
struct Weights {
  std::int64_t version = 0;
};
using Kinds = MessageKinds<Sum, Weights>;

struct Ends {
  MessageEnds ends;
  bool operator()(const Sum&) const { return ends.from_worker_to_shard(); }
  bool operator()(const Weights&) const { return ends.from_shard_to_worker(); }
};

/// The same schedule for each group.
SharedSchedule in_groups(const WorkerGroups& groups, SharedSchedule (*make)(int ranks)) {
  std::vector<Team> teams;
  for (int group = 0; group < groups.count(); ++group) {
    Team& team = teams.emplace_back();
    for (int i = 0; i < groups.size_of(group); ++i)
      team.ranks.push_back(groups.first_of(group) + i);
    team.schedule = make(groups.size_of(group));
  }
  return std::make_shared<Phases>(groups.workers, 1, std::vector<std::vector<Team>>{teams});
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

/// The reductions of all buckets, each with a landing of its own.
std::vector<CollectiveCall> reductions_of(const Plan& plan, const WorkerGroups& groups, RoleId me) {
  std::vector<CollectiveCall> calls;
  std::int64_t landing = 0;
  for (const Bucket& bucket : plan.cut.buckets) {
    CollectiveCall& call =
        calls.emplace_back(call_of(*groups.reduce, me, bucket.slice, Buffer::gradient));
    call.landing = landing;
    landing += landing_size(call);
  }
  return calls;
}

/// The first worker of a group, towards the servers.
class Envoy {
 public:
  Envoy(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me), group_(groups.group_of(me)) {}

  /// Queues the pushes of a bucket's sum. Returns the last.
  Token push(const Slice& bucket, Token summed) {
    for (int shard = 0; shard < plan_.shards; ++shard) {
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
  Token fetch(const Slice& bucket, Buffer into, Token unread) {
    Token last = unread;
    for (int shard = 0; shard < plan_.shards; ++shard) {
      const Slice slice = overlap_of(bucket, plan_.cut.shards[static_cast<std::size_t>(shard)]);
      if (slice.size() == 0) continue;
      const BufferRef served{plan_.server(shard), Buffer::weights};
      last = backend_.copy({me_, StreamKind::fetch}, {served, {me_, into}, slice}, {}, unread);
    }
    return last;
  }

 private:
  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  std::int32_t group_;
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
  Task<> fetch(Envoy& envoy, Token unread, std::span<BucketTokens> buckets) {
    const bool speaks = groups_.is_first(me_);
    for (int shard = 0; speaks && shard < plan_.shards; ++shard) co_await backend_.receive(me_);
    const Buffer into = groups_.staged ? Buffer::incoming : Buffer::weights;
    for (std::size_t i = plan_.cut.buckets.size(); i-- > 0;) {  // as forward needs them
      const Slice& slice = plan_.cut.buckets[i].slice;
      const Token fetched = speaks ? envoy.fetch(slice, into, unread) : unread;
      const Task<Reduced> broadcast =
          run_schedule(call_of(*groups_.broadcast, me_, slice, into), backend_, fetched);
      const Reduced weights = co_await broadcast;
      last_ = weights.summed;
      if (!buckets.empty()) buckets[i].weights = last_;
    }
    if (plan_.overlap) co_return;
    for (BucketTokens& bucket : buckets) bucket.weights = last_;
  }

  /// Staged: those that have arrived replace those of the mini-batch before.
  void adopt(std::int64_t update, std::span<BucketTokens> buckets) {
    if (update == 0) return;  // every worker begins with the weights
    last_ =
        backend_.assign({me_, StreamKind::compute},
                        {{me_, Buffer::weights}, {me_, Buffer::incoming}, plan_.whole()}, last_);
    for (BucketTokens& bucket : buckets) bucket.weights = last_;
  }

  /// The last fetch or adoption.
  Token last() const { return last_; }

 private:
  const Plan& plan_;
  const WorkerGroups& groups_;
  Backend& backend_;
  RoleId me_;
  Token last_;
};

/// A shard's view of an update.
class GroupedShard {
 public:
  GroupedShard(const Plan& plan, const WorkerGroups& groups, Backend& backend, int shard)
      : plan_(plan),
        groups_(groups),
        backend_(backend),
        me_(plan.server(shard)),
        leads_(shard == 0),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]) {}

  bool done() const { return version_ >= plan_.updates; }

  void offer(Token updated) {
    for (int group = 0; group < groups_.count(); ++group) {
      backend_.send(groups_.first_of(group), Kinds::make(me_, Weights{version_}), updated);
    }
  }

  void on(const Sum&, const Message& message) {
    arrived_.push_back({groups_.group_of(message.from), backend_.now()});
    if (!groups_.staged) add(arrived_.back().group);
    if (static_cast<int>(arrived_.size()) == groups_.count()) update();
  }

 private:
  struct Arrived {
    int group = 0;
    Instant at;
  };
  Stream compute() const { return {me_, StreamKind::compute}; }

  /// Adds a group's sum to those before it.
  void add(int group) {
    const BufferRef landing{me_, Buffer::landing, group};
    if (group == arrived_.front().group) {
      total_ = landing;
    } else {
      backend_.reduce(compute(), {total_, landing, slice_});
    }
  }

  void update() {
    if (groups_.staged) {  // many arrive at one time: in an order that all clocks have
      std::ranges::sort(arrived_, {}, &Arrived::group);
      for (const Arrived& arrived : arrived_) add(arrived.group);
    }
    if (leads_ && plan_.observer != nullptr) report();
    arrived_.clear();
    const Token updated = queue_update(1.0F / static_cast<float>(plan_.workers));
    ++version_;
    if (!done()) offer(updated);
  }

  Token queue_update(float scale) {
    const BufferRef weights{me_, Buffer::weights};
    if (plan_.rule.local_steps > 1) {  // the sum is of weights
      return backend_.assign(compute(), {weights, total_, slice_, version_ + 1, scale});
    }
    Command::Update update{weights, total_, slice_, {}};
    update.moment.scale = scale;
    update.moment.version = version_ + 1;
    update.moment.age.rounds = static_cast<double>(version_);
    return backend_.update(compute(), update);
  }

  /// Every gradient of a group is in its sum; the groups that came early have waited until now.
  void report() const {
    for (const Arrived& arrived : arrived_) {
      for (int i = 0; i < groups_.size_of(arrived.group); ++i) {
        const std::int64_t last_step = (version_ + 1) * plan_.rule.local_steps - 1;
        const WorkId work{groups_.first_of(arrived.group) + i, last_step};
        const std::int64_t stale = groups_.staged && version_ > 0 ? 1 : 0;
        plan_.observer->accepted(work.worker, work.step, version_ - stale, version_);
        if (groups_.staged || arrived.at == backend_.now()) continue;
        plan_.observer->span(work, Activity::wait, arrived.at, backend_.now());
      }
    }
  }

  const Plan& plan_;
  const WorkerGroups& groups_;
  Backend& backend_;
  RoleId me_;
  bool leads_;
  Slice slice_;
  std::int64_t version_ = 0;
  BufferRef total_;               ///< the landing in which the sums are added up
  std::vector<Arrived> arrived_;  ///< groups of the update under way
};

}  // namespace

WorkerGroups::WorkerGroups(int all, int of_group, bool are_staged)
    : workers(all), size(std::min(of_group, all)), staged(are_staged) {
  reduce = in_groups(*this, binomial_reduce);
  broadcast = in_groups(*this, binomial_broadcast);
}

Task<> grouped_worker(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me) {
  const std::vector<CollectiveCall> reductions = reductions_of(plan, groups, me);
  const bool speaks = groups.is_first(me);
  std::vector<BucketTokens> buckets(plan.cut.buckets.size());
  WeightsOfGroup weights(plan, groups, backend, me);
  Envoy envoy(plan, groups, backend, me);
  Token sent, sent_before;
  for (std::int64_t update = 0; update < plan.updates; ++update) {
    if (groups.staged) {
      weights.adopt(update, buckets);
    } else {
      const Task<> fetch = weights.fetch(envoy, sent, buckets);
      co_await fetch;
    }
    queue_mini_batches(plan, backend, me, update, buckets);
    if (groups.staged) {
      const Task<> fetch = weights.fetch(envoy, weights.last(), {});
      co_await fetch;
    }
    const WorkId work{me, (update + 1) * plan.rule.local_steps - 1};
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

Task<> grouped_shard(const Plan& plan, const WorkerGroups& groups, Backend& backend, int shard) {
  GroupedShard state(plan, groups, backend, shard);
  state.offer({});
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    deliver_to<Kinds>(state, message);
  }
}

RoleBuffers grouped_buffers(const Plan& plan, const WorkerGroups& groups, RoleId role) {
  if (role < plan.workers) {
    RoleBuffers buffers = worker_buffers(plan, plan.rule.local_steps > 1);
    const CollectiveCall last = reductions_of(plan, groups, role).back();
    const std::int64_t landing = last.landing + landing_size(last);
    if (landing > 0) buffers.slots.push_back({Buffer::landing, 1, landing});
    if (groups.staged) buffers.slots.push_back({Buffer::incoming});
    return buffers;
  }
  RoleBuffers buffers;
  buffers.part = plan.cut.shards[static_cast<std::size_t>(role - plan.workers)];
  buffers.slots = {{Buffer::landing, groups.count()}, {Buffer::weights}};
  buffers.optimizes = plan.rule.local_steps == 1;
  return buffers;
}

bool is_grouped_message(const Plan& plan, RoleId to, const Message& message) {
  const Ends ends{{plan, message.from, to}};
  bool sound = false;
  Kinds::read(message, [&](const auto& kind) { sound = ends(kind); });
  return sound;
}

}  // namespace paceline
