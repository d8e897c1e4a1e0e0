// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <string>

#include "training/strategies/downpour.hpp"
#include "training/strategies/life.hpp"

namespace paceline {
namespace {

class Shard {
 public:
  Shard(const Plan& plan, Backend& backend, int shard)
      : plan_(plan),
        backend_(backend),
        shard_(shard),
        me_(plan.server(shard)),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]),
        alive_(plan.workers) {}

  /// Returns whether that was the last word.
  bool on_message(const Message& message) {
    switch (message.kind) {
      case Message::Kind::gradient:
        apply(message);
        return version_ >= plan_.updates;
      case Message::Kind::fetch:
        offer(message);
        return false;
      case Message::Kind::lost:
        --alive_;
        if (shard_ == 0) deaths_.note_death(plan_, backend_, version_);
        check_that_some_are_left(message.worker);
        return false;
      case Message::Kind::back:
        ++alive_;
        return false;
      default:
        return false;
    }
  }

 private:
  /// Each push as it comes, whatever the other shards have seen.
  void apply(const Message& push) {
    const auto staleness = static_cast<float>(version_ - push.version);
    if (shard_ == 0 && plan_.observer != nullptr) {
      plan_.observer->accepted(push.worker, push.step, push.version, version_);
    }
    const std::int32_t slot = 2 * push.worker + (push.used ? 1 : 0);
    UpdateMoment moment;
    moment.scale = 1.0F / static_cast<float>(plan_.rule.exchange.push_every);
    moment.version = ++version_;
    deaths_.note_update();
    moment.age.rounds =
        static_cast<double>(version_ - 1) * plan_.rule.mini_batches() / plan_.workers;
    moment.age.worker = push.worker;
    moment.age.staleness = staleness;
    moment.mean_staleness = staleness;
    const Token updated =
        backend_.update({me_, StreamKind::compute}, {me_, Buffer::weights, 0, slice_},
                        {me_, Buffer::landing, slot, slice_}, moment);
    Message taken = push;
    taken.kind = Message::Kind::go_on;
    taken.from = me_;
    backend_.send(push.worker, taken, updated);
    if (shard_ == 0 && version_ >= plan_.updates) stop_replicas(updated);
  }

  void offer(const Message& asked) {
    const Token published =
        backend_.publish({me_, StreamKind::compute}, {me_, Buffer::weights, 0, slice_}, asked.from);
    Message weights;
    weights.kind = Message::Kind::weights;
    weights.from = me_;
    weights.life = asked.life;
    weights.version = version_;
    backend_.send(asked.from, weights, published);
  }

  /// What they have pushed still reaches the other shards, which so end with as many updates.
  void stop_replicas(Token updated) {
    Message stop;
    stop.kind = Message::Kind::stop;
    stop.from = me_;
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      backend_.send(worker, stop, updated);
    }
  }

  void check_that_some_are_left(RoleId dead) const {
    if (alive_ > 0 || plan_.mortality.restart) return;
    throw std::runtime_error("worker " + std::to_string(dead) + " died (" +
                             backend_.cause_of_death(dead) + "), none of " +
                             std::to_string(plan_.workers) + " is left");
  }

  const Plan& plan_;
  Backend& backend_;
  int shard_;
  RoleId me_;
  Slice slice_;
  std::int64_t version_ = 0;
  DeathToll deaths_;
  int alive_;
};

}  // namespace

Task<> downpour_shard(const Plan& plan, Backend& backend, int shard) {
  Shard state(plan, backend, shard);
  for (;;) {
    const Message message = co_await backend.receive(plan.server(shard));
    if (state.on_message(message)) break;
  }
}

}  // namespace paceline
