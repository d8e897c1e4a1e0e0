// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>
#include <string>

#include "training/strategies/checkpoints.hpp"
#include "training/strategies/downpour.hpp"
#include "training/strategies/downpour_messages.hpp"

namespace paceline {
namespace {

using downpour::Applied;
using downpour::Fetch;
using downpour::Kinds;
using downpour::Push;
using downpour::Stop;
using downpour::Weights;

class Shard {
 public:
  Shard(const Plan& plan, Backend& backend, int shard)
      : plan_(plan),
        backend_(backend),
        shard_(shard),
        me_(plan.server(shard)),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]),
        checkpoints_(plan, backend, me_),
        alive_(static_cast<std::size_t>(plan.workers), true) {}

  bool done() const { return version_ >= plan_.updates; }

  /// Each push is applied as it comes, whatever the other shards have applied.
  void on(const Push& push, const Message& message) {
    const RoleId replica = message.from;
    if (shard_ == 0 && plan_.observer != nullptr) {
      plan_.observer->accepted(replica, push.step, push.version, version_);
    }
    const auto staleness = static_cast<float>(version_ - push.version);
    ++version_;
    deaths_.note_update();
    Command::Update update{{me_, Buffer::weights},
                           {me_, Buffer::landing, 2 * replica + push.accrual}};
    update.slice = slice_;
    update.moment.scale = 1.0F / static_cast<float>(plan_.rule.exchange.push_every);
    update.moment.mean_staleness = staleness;
    update.moment.version = version_;
    update.moment.age = {
        replica, staleness,
        static_cast<double>(version_ - 1) * plan_.rule.mini_batches() / plan_.workers};
    const Token updated =
        checkpoints_.queue(version_, backend_.update({me_, StreamKind::compute}, update));
    send(replica, Applied{push.accrual}, updated);
    if (shard_ == 0 && done()) stop_replicas(updated);
  }
  void on(const Fetch& fetch, const Message& message) {
    const Token published = backend_.publish({me_, StreamKind::compute}, message.from);
    send(message.from, Weights{version_, fetch.life}, published);
  }
  void on(const Died&, const Message& message) { go_on_without(message.from); }
  void on(const WorkerLost& lost, const Message&) {
    if (shard_ == 0) go_on_without(lost.worker);
  }
  void on(const Back& back, const Message&) {
    alive_[static_cast<std::size_t>(back.worker)] = true;
  }

 private:
  template <class Kind>
  void send(RoleId to, const Kind& kind, Token after) {
    backend_.send(to, Kinds::make(me_, kind), after);
  }

  /// Their pushes still reach the other shards, which so make as many updates.
  void stop_replicas(Token updated) {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) send(worker, Stop{}, updated);
  }

  void go_on_without(RoleId dead) {
    const auto index = static_cast<std::size_t>(dead);
    if (!alive_[index]) return;  // its process is lost after its death
    alive_[index] = false;
    deaths_.note_death(plan_, backend_, version_);
    const bool some_left = std::find(alive_.begin(), alive_.end(), true) != alive_.end();
    if (some_left || plan_.mortality.restart) return;
    throw std::runtime_error("worker " + std::to_string(dead) + " died (" +
                             backend_.cause_of_death(dead) + "), none of " +
                             std::to_string(plan_.workers) + " is left");
  }

  const Plan& plan_;
  Backend& backend_;
  int shard_;
  RoleId me_;
  Slice slice_;
  Checkpoints checkpoints_;
  std::int64_t version_ = 0;
  DeathToll deaths_;
  std::vector<bool> alive_;  ///< by worker
};

}  // namespace

Task<> downpour_shard(const Plan& plan, Backend& backend, int shard) {
  Shard state(plan, backend, shard);
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    deliver_to<Kinds>(state, message);
  }
}

}  // namespace paceline
