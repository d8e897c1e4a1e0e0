// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <string>

#include "training/strategies/adapted_k.hpp"
#include "training/strategies/checkpoints.hpp"
#include "training/strategies/encoded_gradient.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/strategies/parameter_server_messages.hpp"
#include "training/strategies/roster.hpp"

namespace paceline {
namespace {

using parameter_server::Accepted;
using parameter_server::GoOn;
using parameter_server::Gradient;
using parameter_server::Kinds;
using parameter_server::Lost;
using parameter_server::Stop;
using parameter_server::Weights;

/// One shard's view of the exchange. Shard 0 judges gradients and reports to the others which it
/// accepted and which workers died; every shard then sums, updates and offers its part of the
/// weights in the same order.
class Shard {
 public:
  Shard(const Plan& plan, Backend& backend, int shard)
      : plan_(plan),
        rule_(plan.rule),
        backend_(backend),
        me_(plan.server(shard)),
        leads_(shard == 0),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]),
        encoded_(plan),
        checkpoints_(plan, backend, me_),
        k_(plan.rule, plan.workers),
        sums_apart_(plan.sums_apart()),
        workers_(plan.workers) {}

  bool done() const { return taken_ >= plan_.gradients; }

  /// Every worker starts from version 0.
  void offer_first_weights() {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) offer(worker, false, {});
  }

  /// Shard 0: a gradient has arrived at all shards.
  void on(const Gradient& gradient, const Message& message) {
    if (rule_.current_only && gradient.version != version_) return;  // too late
    Roster::Worker& worker = workers_[message.from];
    worker.arrived = backend_.now();
    worker.last_taken = gradient.step;
    Accepted accepted{gradient.step, gradient.version, message.from};
    accepted.completes = static_cast<int>(accepted_.size()) + 1 >= k_.now();
    k_.note_loss(static_cast<double>(message.loss) - plan_.optimal_loss);
    send_to_others(accepted);
    if (plan_.observer != nullptr) {
      plan_.observer->accepted(message.from, gradient.step, gradient.version, version_);
    }
    take(accepted);
  }
  /// The other shards, in shard 0's order.
  void on(const Accepted& gradient, const Message&) { take(gradient); }

  /// Shard 0: a worker has died.
  void on(const Died& died, const Message& message) {
    deaths_.note_death(plan_, backend_, version_);
    note_lost(message.from, died);
    workers_[message.from].alive = false;
    last_lost_ = message.from;
    const Lost lost{message.from, do_without_dead()};
    send_to_others(lost);
    go_on_without(lost);
  }
  /// Shard 0: a worker's process is gone, and with it the knowledge of its mini-batch.
  void on(const WorkerLost& lost, const Message& message) {
    if (!leads_ || !workers_[lost.worker].alive) return;  // it may have died before
    on(Died{}, Message{.from = lost.worker, .kind = message.kind});
  }
  void on(const Lost& lost, const Message&) {
    workers_[lost.worker].alive = false;
    last_lost_ = lost.worker;
    go_on_without(lost);
  }

  void on(const Back& back, const Message&) {
    if (leads_) send_to_others(back);
    Roster::Worker& worker = workers_[back.worker];
    worker.life = back.life;
    worker.alive = true;
    worker.arrived = backend_.now();
    if (rule_.slack) return join_the_slowest(back.worker);
    // what it gave before it died counts; it waits for the update like the others that gave
    if (!rule_.goes_on && worker.contributed) return;
    offer(back.worker, false, {});
  }

 private:
  /// Every shard, in the same order.
  void take(const Accepted& gradient) {
    accepted_.push_back(gradient);
    workers_[gradient.worker].contributed = true;
    sum(gradient);
    if (gradient.completes) {
      update();
    } else if (rule_.goes_on) {
      let_go_on(gradient.worker);
    }
  }

  void sum(const Accepted& gradient) {
    const Stream compute{me_, StreamKind::compute};
    const bool first = accepted_.size() == 1;
    if (plan_.encodes()) {
      Command::Decode sum{{me_, Buffer::gradient}, landing(gradient)};
      sum.age = age_of(gradient);
      sum.fresh = first;
      queue_decoding(plan_, backend_, encoded_, sum);
    } else if (sums_apart_) {
      backend_.reduce(
          compute, {{me_, Buffer::gradient}, landing(gradient), slice_, age_of(gradient), first});
    } else if (!first) {
      backend_.reduce(compute, {landing(accepted_.front()), landing(gradient), slice_});
    }
  }

  void update() {
    if (leads_) note_waits();
    const Token updated = make_version();
    ++version_;
    deaths_.note_update();
    taken_ += static_cast<std::int64_t>(accepted_.size());
    if (leads_ && k_.is_due(version_)) k_.choose(workers_.alive());
    if (done()) {
      if (leads_) std::ranges::for_each(held_, [&](WorkId last) { note_wait(last); });
      if (leads_ || plan_.replicas) stop_workers(updated);
    } else if (rule_.restart == Restart::everyone) {
      offer_everyone(updated);
    } else if (rule_.slack) {
      ++workers_[accepted_.front().worker].completed;
      held_.push_back({accepted_.front().worker, accepted_.front().step});
      release(updated);
    } else if (rule_.goes_on) {
      offer(accepted_.back().worker, true, updated);
    } else {
      for (const Accepted& gradient : accepted_) offer(gradient.worker, true, updated);
    }
    for (const Accepted& gradient : accepted_) workers_[gradient.worker].contributed = false;
    accepted_.clear();
    // gradients of dead workers are used up; the next update must do without
    if (!done()) do_without_dead();
  }

  Token make_version() {
    const Stream compute{me_, StreamKind::compute};
    // of replicas the sum is ready when the last reduction is
    if (plan_.replicas) return backend_.mark(compute);
    return checkpoints_.queue(
        version_ + 1, rule_.local_steps > 1
                          ? backend_.assign(compute, {BufferRef{me_, Buffer::weights}, gradient(),
                                                      slice_, version_ + 1, scale()})
                          : backend_.update(compute, [this] { return next_update(); }));
  }
  Command::Update next_update() const {
    Command::Update update{BufferRef{me_, Buffer::weights}, gradient(), slice_, {}};
    update.moment.scale = scale();
    update.moment.version = version_ + 1;
    update.moment.age = sums_apart_ ? GradientAge{-1, 0, rounds()} : age_of(accepted_.front());
    double staleness = 0;
    for (const Accepted& one : accepted_) staleness += static_cast<double>(version_ - one.version);
    update.moment.mean_staleness =
        static_cast<float>(staleness / static_cast<double>(accepted_.size()));
    return update;
  }
  /// The sum of the gradients accepted.
  BufferRef gradient() const {
    return sums_apart_ ? BufferRef{me_, Buffer::gradient} : landing(accepted_.front());
  }
  float scale() const {
    return 1.0F / static_cast<float>(static_cast<int>(accepted_.size()) * rule_.accumulate);
  }

  void offer_everyone(Token updated) {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      // a worker that went on computes on the old version again, unless its gradient came last
      const bool used =
          rule_.goes_on ? worker == accepted_.back().worker : workers_[worker].contributed;
      offer(worker, used, updated);
    }
  }

  /// A worker may go on once its gradient is in the sum: at the same version, or on new weights.
  void let_go_on(RoleId worker) {
    if (!rule_.current_only) return offer(worker, true, {});
    if (!workers_[worker].alive) return;
    const Token summed = backend_.mark({me_, StreamKind::compute});
    send(worker, GoOn{version_, workers_[worker].life}, summed);
  }

  /// Bounded staleness: workers too far ahead of the slowest wait.
  void release(Token updated) {
    const std::optional<std::int64_t> slowest = workers_.fewest_completed();
    std::erase_if(held_, [&](const WorkId& last) {
      if (slowest && workers_[last.worker].completed - *slowest > *rule_.slack) return false;
      if (leads_) note_wait(last);
      offer(last.worker, true, updated);
      return true;
    });
  }

  /// Makes the weights a snapshot for `worker`, and reports them to it once they are updated.
  void offer(RoleId worker, bool accepted, Token updated) {
    if (!workers_[worker].alive) return;
    const Stream compute{me_, StreamKind::compute};
    Weights weights{version_, sum_at(), workers_[worker].life};
    weights.accepted = accepted;
    send(worker, weights, plan_.replicas ? updated : backend_.publish(compute, worker, updated));
  }

  void stop_workers(Token updated) {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      send(worker, Stop{version_, sum_at()}, updated);
    }
  }

  /// The worker that had the gradients of the update summed in its landing buffer.
  RoleId sum_at() const { return accepted_.empty() ? 0 : accepted_.front().worker; }

  template <class Kind>
  void send(RoleId to, const Kind& kind, Token after = {}) {
    backend_.send(to, Kinds::make(me_, kind), after);
  }
  template <class Kind>
  void send_to_others(const Kind& kind) {
    for (int other = 1; other < plan_.shards; ++other) send(plan_.server(other), kind);
  }

  // ---- deaths

  void go_on_without(const Lost& lost) {
    if (lost.completes && !accepted_.empty()) update();
    if (!rule_.slack || done()) return;
    std::erase_if(held_, [&](const WorkId& last) { return last.worker == lost.worker; });
    release({});
  }

  /// A worker that dies after its gradient was taken has lost nothing, but waits no longer.
  void note_lost(RoleId worker, const Died& died) {
    const std::int64_t had = std::max(workers_[worker].last_taken, died.step - rule_.steps());
    report_lost(plan_, backend_, had + 1, {worker, died.step}, died.version);
    if (rule_.goes_on) return;
    for (const Accepted& gradient : accepted_) {
      if (gradient.worker == worker) note_wait({worker, gradient.step});
    }
    for (const WorkId& last : held_) {
      if (last.worker == worker) note_wait(last);
    }
  }

  /// Where the dead are not replaced, a K that was chosen here can be chosen lower. Returns whether
  /// the update is then complete.
  bool do_without_dead() {
    bool complete = false;
    if (last_lost_ >= 0 && k_.changes() && !rule_.goes_on && !plan_.mortality.restart) {
      k_.limit(workers_.able(true));
      complete = static_cast<int>(accepted_.size()) >= k_.now();
    }
    check_that_enough_are_left();
    return complete;
  }

  /// A replacement has missed what the others did meanwhile; its predecessor may have been too far
  /// ahead of them.
  void join_the_slowest(RoleId joining) {
    const std::optional<std::int64_t> slowest = workers_.fewest_completed(joining);
    std::int64_t& completed = workers_[joining].completed;
    completed = std::max(completed, slowest.value_or(completed));
    held_.push_back({joining, -1});
    release({});
  }

  /// At each death, and again once an update has used up the gradients of the dead.
  void check_that_enough_are_left() const {
    if (!leads_ || last_lost_ < 0 || plan_.mortality.restart) return;
    const int needed = rule_.goes_on ? 1 : k_.now();
    if (workers_.alive() > 0 && workers_.able(!rule_.goes_on) >= needed) return;
    throw std::runtime_error(
        "worker " + std::to_string(last_lost_) + " died (" + backend_.cause_of_death(last_lost_) +
        "), " + std::to_string(workers_.alive()) + " of " + std::to_string(plan_.workers) +
        " are left and an update takes gradients of " + std::to_string(needed));
  }

  // ---- what the metrics record

  /// Workers that contributed early have stood still until now.
  void note_waits() {
    if (accepted_.size() < 2 || rule_.goes_on) return;
    for (const Accepted& gradient : accepted_) note_wait({gradient.worker, gradient.step});
  }

  void note_wait(WorkId last) {
    const Instant arrived = workers_[last.worker].arrived;
    if (plan_.observer == nullptr || arrived == backend_.now()) return;
    if (!workers_[last.worker].alive) return;  // its wait ended with its death
    plan_.observer->span(last, Activity::wait, arrived, backend_.now());
  }

  GradientAge age_of(const Accepted& gradient) const {
    return {gradient.worker, static_cast<float>(version_ - gradient.version), rounds()};
  }

  double rounds() const { return static_cast<double>(taken_ * rule_.accumulate) / plan_.workers; }

  BufferRef landing(const Accepted& gradient) const {
    return {me_, Buffer::landing, landing_slot(plan_, gradient.worker, gradient.version)};
  }

  const Plan& plan_;
  const Rule& rule_;
  Backend& backend_;
  RoleId me_;
  bool leads_;  ///< this is shard 0
  Slice slice_;
  EncodedGradient encoded_;
  Checkpoints checkpoints_;
  AdaptiveK k_;
  bool sums_apart_;  ///< landings are free again before the update
  std::int64_t version_ = 0;
  std::int64_t taken_ = 0;          ///< gradients in all versions so far
  std::vector<Accepted> accepted_;  ///< of the update being gathered, in order of arrival
  std::vector<WorkId> held_;        ///< the last mini-batches of workers that are too far ahead
  Roster workers_;
  DeathToll deaths_;
  RoleId last_lost_ = -1;  ///< the worker that died last; -1: none has
};

}  // namespace

Task<> parameter_server_shard(const Plan& plan, Backend& backend, int shard) {
  Shard state(plan, backend, shard);
  state.offer_first_weights();
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    deliver_to<Kinds>(state, message);
  }
}

}  // namespace paceline
