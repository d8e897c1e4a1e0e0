// SPDX-License-Identifier: MIT
#include "training/strategies/parameter_server.hpp"

namespace paceline {
namespace {

/// One shard's view of the exchange. Shard 0 judges gradients and tells the others what it took;
/// every shard then sums, updates and offers its part of the weights in the same way.
class Shard {
 public:
  Shard(const Plan& plan, Backend& backend, int shard)
      : plan_(plan),
        backend_(backend),
        shard_(shard),
        me_(plan.server(shard)),
        slice_(plan.cut.shards[static_cast<std::size_t>(shard)]),
        arrived_(static_cast<std::size_t>(plan.workers)) {}

  bool done() const { return version_ >= plan_.updates; }

  /// Everyone starts from version 0.
  void offer_first_weights() {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) offer(worker, false, {});
  }

  /// A gradient has wholly arrived (shard 0), or shard 0 has accepted one (the others).
  void on_gradient(const Message& gradient) {
    if (shard_ == 0) {
      if (plan_.rule.current_only && gradient.version != version_) return;  // too late
      arrived_[static_cast<std::size_t>(gradient.worker)] = backend_.now();
      tell_others(Message::Kind::accepted, gradient);
      if (plan_.observer != nullptr) {
        plan_.observer->accepted(gradient.worker, gradient.step, gradient.version, version_);
      }
    }
    accepted_.push_back(gradient);
    if (accepted_.size() > 1) {
      backend_.reduce({me_, StreamKind::compute}, landing(accepted_.front()), landing(gradient));
    }
    if (static_cast<int>(accepted_.size()) == plan_.rule.gradients) update();
  }

 private:
  void update() {
    if (shard_ == 0) note_waits();
    const Stream compute{me_, StreamKind::compute};
    Token updated;
    if (plan_.replicas) {
      // the sum is ready when the last reduction is: an empty one marks the place in the stream
      updated = backend_.publish(compute, {me_, Buffer::landing, 0, slice_}, 0);
    } else {
      updated =
          backend_.update(compute, {me_, Buffer::weights, 0, slice_}, landing(accepted_.front()),
                          1.0F / static_cast<float>(plan_.rule.gradients), version_ + 1);
    }
    ++version_;
    if (done()) {
      if (shard_ == 0 || plan_.replicas) stop_workers(updated);
    } else if (plan_.rule.restart == Restart::everyone) {
      used_.assign(static_cast<std::size_t>(plan_.workers), false);
      for (const Message& gradient : accepted_) {
        used_[static_cast<std::size_t>(gradient.worker)] = true;
      }
      for (RoleId worker = 0; worker < plan_.workers; ++worker) {
        offer(worker, used_[static_cast<std::size_t>(worker)], updated);
      }
    } else {
      for (const Message& gradient : accepted_) offer(gradient.worker, true, updated);
    }
    accepted_.clear();
  }

  /// Makes the weights a snapshot for `worker` and tells it once they are updated.
  void offer(RoleId worker, bool used, Token updated) {
    Token published = updated;
    if (!plan_.replicas) {
      published = backend_.publish({me_, StreamKind::compute}, {me_, Buffer::weights, 0, slice_},
                                   worker, updated);
    }
    Message message;
    message.kind = Message::Kind::weights;
    message.from = me_;
    message.used = used;
    message.worker = accepted_.empty() ? 0 : accepted_.front().worker;
    message.version = version_;
    backend_.send(worker, message, published);
  }

  void stop_workers(Token updated) {
    Message message;
    message.kind = Message::Kind::stop;
    message.from = me_;
    message.worker = accepted_.front().worker;
    message.version = version_;
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      backend_.send(worker, message, updated);
    }
  }

  void tell_others(Message::Kind kind, Message message) {
    message.kind = kind;
    message.from = me_;
    for (int other = 1; other < plan_.shards; ++other) backend_.send(plan_.server(other), message);
  }

  /// Who contributed early has stood still until now.
  void note_waits() {
    if (plan_.observer == nullptr || accepted_.size() < 2) return;
    for (const Message& gradient : accepted_) {
      plan_.observer->span({gradient.worker, gradient.step}, Activity::wait,
                           arrived_[static_cast<std::size_t>(gradient.worker)], backend_.now());
    }
  }

  BufferRef landing(const Message& gradient) const {
    const std::int32_t slot =
        plan_.replicas ? 2 * gradient.worker + static_cast<std::int32_t>(gradient.version & 1)
                       : gradient.worker;
    return {me_, Buffer::landing, slot, slice_};
  }

  const Plan& plan_;
  Backend& backend_;
  int shard_;
  RoleId me_;
  Slice slice_;
  std::int64_t version_ = 0;
  std::vector<Message> accepted_;  ///< of the update being gathered, in order of arrival
  std::vector<bool> used_;
  std::vector<Instant> arrived_;
};

}  // namespace

Task<> parameter_server_shard(const Plan& plan, Backend& backend, int shard) {
  Shard state(plan, backend, shard);
  state.offer_first_weights();
  while (!state.done()) {
    const Message message = co_await backend.receive(plan.server(shard));
    state.on_gradient(message);
  }
}

}  // namespace paceline
