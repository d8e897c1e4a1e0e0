// SPDX-License-Identifier: MIT
#include "training/strategies/life.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/strategies/shard_turns.hpp"

namespace paceline {
namespace {

/// One worker's view of the exchange. Its program is below; these are its moves.
class Worker {
 public:
  Worker(const Plan& plan, Backend& backend, RoleId me, bool links_apart)
      : plan_(plan),
        backend_(backend),
        me_(me),
        life_(plan, backend, me),
        turns_(plan, me, links_apart),
        weights_(plan.cut.buckets.size()) {}

  /// Returns whether that was the last word.
  bool on_message(const Message& message) {
    switch (message.kind) {
      case Message::Kind::weights:
        on_weights(message);
        return false;
      case Message::Kind::go_on:
        if (life_.is_mine(message) && message.version == version_) on_shard();
        return false;
      case Message::Kind::died:
        if (life_.is_mine(message)) die();
        return false;
      case Message::Kind::back:
        life_.begin_anew(message);
        return false;
      case Message::Kind::stop:
        return on_stop(message);
      default:
        return false;
    }
  }
  Token last_work() const { return last_fetch_; }

 private:
  /// A shard has weights (or a sum) of a version for this worker.
  void on_weights(const Message& message) {
    if (!life_.is_mine(message) || message.version < version_) return;
    if (message.version > version_) new_version(message);
    note_offer(message);
    on_shard();
  }

  /// Of the shards that must speak before the next mini-batch, one more has.
  void on_shard() {
    if (++shards_ready_ == plan_.shards) begin_step();
  }

  /// A shard has made its last update. Where replicas apply sums themselves, each shard has one
  /// more to give.
  bool on_stop(const Message& message) {
    if (!plan_.replicas) {
      if (under_way_) backend_.cancel({me_, step_});
      return true;
    }
    if (message.version > version_) new_version(message);
    note_offer(message);
    if (++shards_ready_ < plan_.shards) return false;
    last_fetch_ = apply_sum();
    return true;
  }

  void new_version(const Message& message) {
    if (under_way_ && !message.used) {
      backend_.cancel({me_, step_});
      note_cancelled();
    }
    under_way_ = false;
    version_ = message.version;
    shards_ready_ = 0;
    turns_.begin_round();
  }

  /// A shard has something to fetch: at once, or in this worker's order of shards.
  void note_offer(const Message& message) {
    turns_.offer(message, [this](const Message& offer) { fetch(offer); });
  }

  void note_cancelled() {
    if (plan_.observer != nullptr) {
      plan_.observer->cancelled(me_, step_, version_, backend_.now());
    }
  }

  void die() {
    life_.end(step_, under_way_, version_);
    under_way_ = false;
    version_ = -1;
    shards_ready_ = 0;
  }

  /// Queues the copies from one shard, in the order in which forward needs them.
  void fetch(const Message& message) {
    if (plan_.replicas && message.version == 0) return;  // every replica starts with the weights
    const RoleId server = message.from;
    const Slice& shard = plan_.cut.shards[static_cast<std::size_t>(server - plan_.workers)];
    const Buffer source = plan_.replicas ? Buffer::landing : Buffer::snapshot;
    const std::int32_t slot = plan_.replicas ? landing_slot(message.worker, version_ - 1) : me_;
    const Buffer target = plan_.replicas ? Buffer::gradient : Buffer::weights;
    // what is being computed reads the old weights: wait until it has stopped
    const After after = last_compute_;
    for (std::size_t i = plan_.cut.buckets.size(); i-- > 0;) {
      const Slice slice = overlap_of(plan_.cut.buckets[i].slice, shard);
      if (slice.size() == 0) continue;
      weights_[i] = backend_.copy({me_, StreamKind::fetch}, {server, source, slot, slice},
                                  {me_, target, 0, slice}, {}, after);
      last_fetch_ = weights_[i];
    }
  }

  void begin_step() {
    shards_ready_ = 0;
    turns_.begin_round();  // the next weights may be of the same version
    under_way_ = true;
    if (plan_.replicas && version_ > 0) last_fetch_ = apply_sum();
    if (!plan_.overlap || plan_.replicas) {
      for (Token& weights : weights_) weights = last_fetch_;
    }
    for (int local = 0; local < plan_.rule.local_steps; ++local) {
      queue_mini_batch(plan_, backend_, {me_, ++step_}, weights_, batch_);
      last_compute_ = batch_.gradient.back();
      if (plan_.rule.local_steps > 1) {
        last_compute_ = queue_local_update(plan_, backend_, {me_, step_});
      }
    }
    push({me_, step_});
  }

  Token apply_sum() {
    const BufferRef weights{me_, Buffer::weights, 0, plan_.whole()};
    const BufferRef sum{me_, Buffer::gradient, 0, plan_.whole()};
    const Stream compute{me_, StreamKind::compute};
    const float scale = 1.0F / static_cast<float>(plan_.rule.gradients);
    if (plan_.rule.local_steps > 1) {
      return backend_.assign(compute, weights, sum, scale, version_, last_fetch_);
    }
    UpdateMoment moment;
    moment.scale = scale;
    moment.version = version_;
    moment.age.rounds = static_cast<double>(version_ - 1);
    return backend_.update(compute, weights, sum, moment, last_fetch_);
  }

  void push(WorkId work) {
    const bool averages = plan_.rule.local_steps > 1;
    Token last = last_compute_;
    for (std::size_t i = 0; i < plan_.cut.buckets.size(); ++i) {
      for (int turn = 0; turn < plan_.shards; ++turn) {
        const int shard = turns_.shard(turn);
        const Slice slice = overlap_of(plan_.cut.buckets[i].slice,
                                       plan_.cut.shards[static_cast<std::size_t>(shard)]);
        if (slice.size() == 0) continue;
        const Buffer source = averages ? Buffer::weights : Buffer::gradient;
        const std::int32_t slot = plan_.replicas ? landing_slot(me_, version_) : me_;
        last = backend_.copy({me_, StreamKind::push}, {me_, source, 0, slice},
                             {plan_.server(shard), Buffer::landing, slot, slice}, work,
                             averages ? last_compute_ : batch_.gradient[i]);
      }
    }
    Message message;
    message.kind = Message::Kind::gradient;
    message.from = message.worker = me_;
    message.life = life_.ordinal();
    message.version = version_;
    message.step = work.step;
    backend_.send(plan_.server(0), message, last, work);
  }

  /// A sum is read by slower replicas while the fastest already pushes its next gradient, so
  /// landings alternate.
  static std::int32_t landing_slot(RoleId worker, std::int64_t version) {
    return 2 * worker + static_cast<std::int32_t>(version & 1);
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  Life life_;
  ShardTurns turns_;
  std::int64_t step_ = -1;     ///< mini-batches begun, less one
  std::int64_t version_ = -1;  ///< of the weights held or being fetched
  int shards_ready_ = 0;
  bool under_way_ = false;
  std::vector<Token> weights_;  ///< per bucket: its weights are here
  Token last_fetch_;
  Token last_compute_;
  MiniBatch batch_;
};

}  // namespace

Task<> parameter_server_worker(const Plan& plan, Backend& backend, RoleId me, bool links_apart) {
  Worker worker(plan, backend, me, links_apart);
  for (;;) {
    const Message message = co_await backend.receive(me);
    if (worker.on_message(message)) break;
  }
  co_await backend.finished(me, worker.last_work());
}

}  // namespace paceline
