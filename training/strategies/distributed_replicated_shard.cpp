// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "training/strategies/checkpoints.hpp"
#include "training/strategies/distributed_replicated.hpp"
#include "training/strategies/distributed_replicated_messages.hpp"
#include "training/strategies/worker_input.hpp"

namespace paceline {
namespace {

using grouped::Kinds;
using grouped::Losses;
using grouped::Outputs;
using grouped::Sum;
using grouped::Weights;

/// A shard's view of an update.
class GroupedShard {
 public:
  GroupedShard(const Plan& plan, const WorkerGroups& groups, Backend& backend, int shard)
      : plan_(plan),
        groups_(groups),
        backend_(backend),
        me_(plan.server(shard)),
        leads_(shard == 0),
        checkpoints_(plan, backend, me_),
        input_(plan, backend, me_),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]) {}

  bool done() const { return version_ >= plan_.updates; }

  void offer(Token updated) {
    if (groups_.scattered) updated = input_.queue_wait({-1, version_}, updated);
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      if (!groups_.fetches(worker)) continue;
      backend_.send(worker, Kinds::make(me_, Weights{version_}), updated);
    }
  }

  void on(const Sum&, const Message& message) {
    arrived_.push_back({groups_.group_of(message.from), backend_.now()});
    if (!ties()) add(arrived_.back().group);
    if (static_cast<int>(arrived_.size()) == groups_.count()) update();
  }

  void on(const Outputs&, const Message&) {
    if (++outputs_ < plan_.workers) return;
    outputs_ = 0;
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      backend_.send(worker, Kinds::make(me_, Losses{}));
    }
  }

 private:
  struct Arrived {
    int group = 0;
    Instant at;
  };
  Stream compute() const { return {me_, StreamKind::compute}; }
  /// Whether many sums arrive at one time: they are then added in an order that all clocks have.
  bool ties() const { return groups_.staged || groups_.scattered; }

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
    if (ties()) {
      std::ranges::sort(arrived_, {}, &Arrived::group);
      for (const Arrived& arrived : arrived_) add(arrived.group);
    }
    if (leads_ && plan_.observer != nullptr) report();
    arrived_.clear();
    const Token updated =
        queue_update(1.0F / static_cast<float>(plan_.workers * plan_.rule.accumulate));
    ++version_;
    if (!done()) offer(updated);
  }

  Token queue_update(float scale) {
    const BufferRef weights{me_, Buffer::weights};
    if (plan_.rule.local_steps > 1) {  // the sum is of weights
      return checkpoints_.queue(
          version_ + 1, backend_.assign(compute(), {weights, total_, slice_, version_ + 1, scale}));
    }
    Command::Update update{weights, total_, slice_, {}};
    update.moment.scale = scale;
    update.moment.version = version_ + 1;
    update.moment.age.rounds = static_cast<double>(version_ * plan_.rule.accumulate);
    return checkpoints_.queue(version_ + 1, backend_.update(compute(), update));
  }

  /// Every gradient of a group is in its sum. Single workers that came early have waited until now.
  void report() const {
    for (const Arrived& arrived : arrived_) {
      const Grouping& groups = groups_.grouping;
      for (int i = 0; i < groups.size_of(arrived.group); ++i) {
        const std::int64_t last_step = (version_ + 1) * plan_.rule.steps() - 1;
        const WorkId work{groups.worker_at(groups.begin_of(arrived.group) + i), last_step};
        const std::int64_t stale = groups_.staged && version_ > 0 ? 1 : 0;
        plan_.observer->accepted(work.worker, work.step, version_ - stale, version_);
        if (groups_.staged || groups_.sums() || arrived.at == backend_.now()) continue;
        plan_.observer->span(work, Activity::wait, arrived.at, backend_.now());
      }
    }
  }

  const Plan& plan_;
  const WorkerGroups& groups_;
  Backend& backend_;
  RoleId me_;
  bool leads_;
  Checkpoints checkpoints_;
  WorkerInput input_;  ///< of a server that scatters batches
  Slice slice_;
  std::int64_t version_ = 0;
  int outputs_ = 0;               ///< workers with outputs that have come
  BufferRef total_;               ///< the landing in which the sums are added up
  std::vector<Arrived> arrived_;  ///< groups of the update under way
};

}  // namespace

Task<> grouped_shard(const Plan& plan, const WorkerGroups& groups, Backend& backend, int shard) {
  GroupedShard state(plan, groups, backend, shard);
  state.offer({});
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    deliver_to<Kinds>(state, message);
  }
}

}  // namespace paceline
