// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "training/strategies/adapted_k.hpp"
#include "training/strategies/life.hpp"
#include "training/strategies/parameter_server.hpp"

namespace paceline {
namespace {

/// One shard's view of the exchange. Shard 0 judges gradients and tells the others what it took and
/// who died; every shard then sums, updates and offers its part of the weights in the same order.
class Shard {
 public:
  Shard(const Plan& plan, Backend& backend, int shard)
      : plan_(plan),
        rule_(plan.rule),
        backend_(backend),
        shard_(shard),
        me_(plan.server(shard)),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]),
        k_(plan.rule.gradients),
        sums_apart_(plan.sums_apart()),
        workers_(static_cast<std::size_t>(plan.workers)) {}

  bool done() const { return taken_ >= plan_.gradients; }

  /// Everyone starts from version 0.
  void offer_first_weights() {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) offer(worker, false, {});
  }

  void on_message(const Message& message) {
    switch (message.kind) {
      case Message::Kind::gradient:
        return judge(message);
      case Message::Kind::accepted:
        return take(message);
      case Message::Kind::lost:
        return on_lost(message);
      case Message::Kind::back:
        return on_back(message);
      default:
        return;
    }
  }

 private:
  /// What a shard knows of a worker.
  struct Known {
    bool alive = true;
    bool contributed = false;
    std::uint16_t life = 0;
    std::int64_t completed = 0;  ///< mini-batches
    std::int64_t taken = -1;     ///< the last step whose gradient was accepted
    Instant arrived;             ///< its last gradient, or itself after a death
  };
  Known& of(RoleId worker) { return workers_[static_cast<std::size_t>(worker)]; }

  /// Shard 0: a gradient has wholly arrived.
  void judge(Message gradient) {
    if (rule_.current_only && gradient.version != version_) return;  // too late
    of(gradient.worker).arrived = backend_.now();
    of(gradient.worker).taken = gradient.step;
    gradient.last = static_cast<int>(accepted_.size()) + 1 >= k_;
    if (rule_.adaptation.window > 0) note_loss(gradient.loss);
    tell_others(Message::Kind::accepted, gradient);
    if (plan_.observer != nullptr) {
      plan_.observer->accepted(gradient.worker, gradient.step, gradient.version, version_);
    }
    take(gradient);
  }

  /// Every shard, in the same order.
  void take(const Message& gradient) {
    accepted_.push_back(gradient);
    of(gradient.worker).contributed = true;
    sum(gradient);
    if (gradient.last) {
      update();
    } else if (rule_.goes_on) {
      let_go_on(gradient.worker);
    }
  }

  void sum(const Message& gradient) {
    const Stream compute{me_, StreamKind::compute};
    const bool first = accepted_.size() == 1;
    if (sums_apart_) {
      backend_.reduce(compute, {me_, Buffer::gradient, 0, slice_}, landing(gradient), {}, first,
                      age_of(gradient));
    } else if (!first) {
      backend_.reduce(compute, landing(accepted_.front()), landing(gradient));
    }
  }

  void update() {
    if (shard_ == 0) note_waits();
    const Token updated = make_version();
    ++version_;
    deaths_.note_update();
    taken_ += static_cast<std::int64_t>(accepted_.size());
    if (shard_ == 0 && rule_.adaptation.window > 0) choose_k();
    if (done()) {
      if (shard_ == 0 || plan_.replicas) stop_workers(updated);
    } else if (rule_.restart == Restart::everyone) {
      offer_everyone(updated);
    } else if (rule_.slack) {
      ++of(accepted_.front().worker).completed;
      held_.push_back(accepted_.front());
      release(updated);
    } else if (rule_.goes_on) {
      offer(accepted_.back().worker, true, updated);
    } else {
      for (const Message& gradient : accepted_) offer(gradient.worker, true, updated);
    }
    for (const Message& gradient : accepted_) of(gradient.worker).contributed = false;
    accepted_.clear();
    // what the dead had given has served; the next update must do without
    if (!done()) check_that_enough_are_left();
  }

  Token make_version() {
    const Stream compute{me_, StreamKind::compute};
    const BufferRef weights{me_, Buffer::weights, 0, slice_};
    const Message& first = accepted_.front();
    const BufferRef gradient =
        sums_apart_ ? BufferRef{me_, Buffer::gradient, 0, slice_} : landing(first);
    const float scale = 1.0F / static_cast<float>(accepted_.size());
    if (plan_.replicas) {
      // the sum is ready when the last reduction is: an empty publication marks the place
      return backend_.publish(compute, {me_, Buffer::landing, 0, slice_}, 0);
    }
    if (rule_.local_steps > 1) {
      return backend_.assign(compute, weights, gradient, scale, version_ + 1);
    }
    UpdateMoment moment;
    moment.scale = scale;
    moment.version = version_ + 1;
    moment.age = sums_apart_ ? GradientAge{-1, 0, rounds()} : age_of(first);
    double staleness = 0;
    for (const Message& one : accepted_) staleness += static_cast<double>(version_ - one.version);
    moment.mean_staleness = static_cast<float>(staleness / static_cast<double>(accepted_.size()));
    return backend_.update(compute, weights, gradient, moment);
  }

  void offer_everyone(Token updated) {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      // who went on is at work on the old version again, unless its gradient came last
      const bool used = rule_.goes_on ? worker == accepted_.back().worker : contributed(worker);
      offer(worker, used, updated);
    }
  }

  /// Whether a gradient of the worker is in the update being gathered.
  bool contributed(RoleId worker) const {
    return workers_[static_cast<std::size_t>(worker)].contributed;
  }

  /// A worker whose gradient is in the sum may go on: at the same version, or on new weights.
  void let_go_on(RoleId worker) {
    if (!rule_.current_only) return offer(worker, true, {});
    if (!of(worker).alive) return;
    Message message = message_to(worker, Message::Kind::go_on);
    // an empty publication marks the place of the sum in the stream
    const Token summed =
        backend_.publish({me_, StreamKind::compute}, {me_, Buffer::weights, 0, slice_}, worker);
    backend_.send(worker, message, summed);
  }

  /// Bounded staleness: who is too far ahead of the slowest waits.
  void release(Token updated) {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const Known& worker : workers_) {
      if (worker.alive) slowest = std::min(slowest, worker.completed);
    }
    std::erase_if(held_, [&](const Message& gradient) {
      if (of(gradient.worker).completed - slowest > *rule_.slack) return false;
      if (shard_ == 0) note_wait(gradient);
      offer(gradient.worker, true, updated);
      return true;
    });
  }

  /// Makes the weights a snapshot for `worker` and tells it once they are updated.
  void offer(RoleId worker, bool used, Token updated) {
    if (!of(worker).alive) return;
    Token published = updated;
    if (!plan_.replicas) {
      published = backend_.publish({me_, StreamKind::compute}, {me_, Buffer::weights, 0, slice_},
                                   worker, updated);
    }
    Message message = message_to(worker, Message::Kind::weights);
    message.used = used;
    message.worker = accepted_.empty() ? 0 : accepted_.front().worker;
    backend_.send(worker, message, published);
  }

  Message message_to(RoleId worker, Message::Kind kind) {
    Message message;
    message.kind = kind;
    message.from = me_;
    message.life = of(worker).life;
    message.version = version_;
    return message;
  }

  void stop_workers(Token updated) {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      Message message = message_to(worker, Message::Kind::stop);
      message.worker = accepted_.front().worker;
      backend_.send(worker, message, updated);
    }
  }

  void tell_others(Message::Kind kind, const Message& said) {
    if (plan_.shards == 1) return;
    Message message = said;
    message.kind = kind;
    message.from = me_;
    for (int other = 1; other < plan_.shards; ++other) backend_.send(plan_.server(other), message);
  }

  // ---- deaths

  void on_lost(Message message) {
    if (shard_ == 0) {
      deaths_.note_death(plan_, backend_, version_);
      note_lost(message);
    }
    of(message.worker).alive = false;
    last_lost_ = message.worker;
    if (shard_ == 0) {
      do_without(message);
      tell_others(message.kind, message);
    }
    if (message.last) update();
    if (rule_.slack && !done()) {
      std::erase_if(held_, [&](const Message& one) { return one.worker == message.worker; });
      release({});
    }
  }

  void on_back(const Message& message) {
    if (shard_ == 0) tell_others(message.kind, message);
    Known& worker = of(message.worker);
    worker.life = message.life;
    worker.alive = true;
    worker.arrived = backend_.now();
    if (rule_.slack) return join_the_slowest(message.worker);
    // what it gave before it died counts; it waits for the update like all who gave
    if (!rule_.goes_on && contributed(message.worker)) return;
    offer(message.worker, false, {});
  }

  /// A worker that dies after its gradient was taken has lost nothing, but waits no longer.
  void note_lost(const Message& message) {
    if (plan_.observer != nullptr && message.step > of(message.worker).taken) {
      plan_.observer->cancelled(message.worker, message.step, message.version, backend_.now());
    }
    for (const std::vector<Message>* waiting : {&accepted_, &held_}) {
      for (const Message& gradient : *waiting) {
        if (gradient.worker == message.worker && !rule_.goes_on) note_wait(gradient);
      }
    }
  }

  /// Where nobody replaces the dead, a K that was chosen here can be chosen lower.
  void do_without(Message& lost) {
    if (rule_.adaptation.window > 0 && !rule_.goes_on && !plan_.mortality.restart) {
      k_ = std::max(1, std::min(k_, able()));
      lost.last = static_cast<int>(accepted_.size()) >= k_;
    }
    check_that_enough_are_left();
  }

  /// A replacement has missed what the others did meanwhile; its predecessor may have been too far
  /// ahead of them.
  void join_the_slowest(RoleId joining) {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      if (worker != joining && of(worker).alive) {
        slowest = std::min(slowest, of(worker).completed);
      }
    }
    if (slowest != std::numeric_limits<std::int64_t>::max()) {
      of(joining).completed = std::max(of(joining).completed, slowest);
    }
    Message ready;
    ready.worker = joining;
    ready.step = -1;
    held_.push_back(ready);
    release({});
  }

  int alive() const {
    return static_cast<int>(std::count_if(workers_.begin(), workers_.end(),
                                          [](const Known& worker) { return worker.alive; }));
  }

  /// Workers whose gradients the update under way has or may get.
  int able() const {
    int count = 0;
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      const bool lives = workers_[static_cast<std::size_t>(worker)].alive;
      if (lives || (!rule_.goes_on && contributed(worker))) ++count;
    }
    return count;
  }

  /// At each death, and again once an update has used up what the dead had given.
  void check_that_enough_are_left() const {
    if (shard_ > 0 || last_lost_ < 0 || plan_.mortality.restart) return;
    const int needed = rule_.goes_on ? 1 : k_;
    if (alive() > 0 && able() >= needed) return;
    throw std::runtime_error(
        "worker " + std::to_string(last_lost_) + " died (" + backend_.cause_of_death(last_lost_) +
        "), " + std::to_string(alive()) + " of " + std::to_string(plan_.workers) +
        " are left and an update takes gradients of " + std::to_string(needed));
  }

  // ---- how many to wait for

  void note_loss(float loss) {
    loss_sum_ += static_cast<double>(loss) - plan_.optimal_loss;
    ++losses_;
  }

  void choose_k() {
    if (version_ % rule_.adaptation.window != 0 || losses_ == 0) return;
    const double loss = loss_sum_ / static_cast<double>(losses_);
    loss_sum_ = 0;
    losses_ = 0;
    if (first_loss_ == 0) first_loss_ = loss;
    k_ = std::min(alive(), std::max(k_, adapted_k(rule_, plan_.workers, first_loss_, loss)));
  }

  // ---- what the metrics want to know

  /// Who contributed early has stood still until now.
  void note_waits() {
    if (accepted_.size() < 2 || rule_.goes_on) return;
    for (const Message& gradient : accepted_) note_wait(gradient);
  }

  void note_wait(const Message& gradient) {
    const Instant arrived = of(gradient.worker).arrived;
    if (plan_.observer == nullptr || arrived == backend_.now()) return;
    if (!of(gradient.worker).alive) return;  // the dead wait for nobody
    plan_.observer->span({gradient.worker, gradient.step}, Activity::wait, arrived, backend_.now());
  }

  GradientAge age_of(const Message& gradient) const {
    return {gradient.worker, static_cast<float>(version_ - gradient.version), rounds()};
  }

  double rounds() const { return static_cast<double>(taken_) / plan_.workers; }

  BufferRef landing(const Message& gradient) const {
    const std::int32_t slot =
        plan_.replicas ? 2 * gradient.worker + static_cast<std::int32_t>(gradient.version & 1)
                       : gradient.worker;
    return {me_, Buffer::landing, slot, slice_};
  }

  const Plan& plan_;
  const Rule& rule_;
  Backend& backend_;
  int shard_;
  RoleId me_;
  Slice slice_;
  int k_;            ///< gradients that the update being gathered takes
  bool sums_apart_;  ///< landings are free again before the update
  std::int64_t version_ = 0;
  std::int64_t taken_ = 0;         ///< gradients in all versions so far
  std::vector<Message> accepted_;  ///< of the update being gathered, in order of arrival
  std::vector<Message> held_;      ///< the last gradients of workers that are too far ahead
  std::vector<Known> workers_;
  DeathToll deaths_;
  RoleId last_lost_ = -1;  ///< who died last; -1: nobody has
  double loss_sum_ = 0;    ///< of the mini-batches since K was last chosen
  std::int64_t losses_ = 0;
  double first_loss_ = 0;
};

}  // namespace

Task<> parameter_server_shard(const Plan& plan, Backend& backend, int shard) {
  Shard state(plan, backend, shard);
  state.offer_first_weights();
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    state.on_message(message);
  }
}

}  // namespace paceline
