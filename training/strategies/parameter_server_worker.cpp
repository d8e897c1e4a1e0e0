// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <numeric>

#include "training/strategies/checkpoints.hpp"
#include "training/strategies/encoded_gradient.hpp"
#include "training/strategies/mini_batches.hpp"
#include "training/strategies/own_weights.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/strategies/parameter_server_messages.hpp"
#include "training/strategies/shard_turns.hpp"

namespace paceline {
namespace {

using parameter_server::GoOn;
using parameter_server::Gradient;
using parameter_server::Kinds;
using parameter_server::Stop;
using parameter_server::Weights;

/// One worker's view of the exchange. Its program is below; these are its moves.
class Worker {
 public:
  Worker(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan),
        backend_(backend),
        me_(me),
        buckets_(plan.cut.buckets.size()),
        turns_(plan, me),
        life_(plan, backend, me),
        mini_batches_(plan, backend, me),
        checkpoints_(plan, backend, me),
        encoded_(plan.encodes() ? std::make_unique<EncodedGradient>(plan) : nullptr) {}

  /// A shard has weights (or a sum) of a version for this worker.
  void on(const Weights& weights, const Message& message) {
    if (!life_.is_mine(weights.life) || weights.version < version_) return;
    if (weights.version > version_) new_version(weights.version, weights.accepted);
    note_offer({message.from, weights.sum_at});
    on_shard();
  }
  void on(const GoOn& go_on, const Message&) {
    if (life_.is_mine(go_on.life) && go_on.version == version_) on_shard();
  }
  void on(const LifetimeOver& over, const Message&) {
    if (life_.is_mine(over.life)) die();
  }
  void on(const ArithmeticFailed& failed, const Message&) {
    if (life_.is_mine(failed)) die();
  }
  void on(const Back& back, const Message&) { life_.begin_anew(back); }
  /// A shard has made its last update. Where replicas apply sums themselves, each shard has one
  /// more to give.
  void on(const Stop& stop, const Message& message) {
    if (!plan_.replicas) {
      if (under_way_) backend_.cancel({me_, step_});
      done_ = true;
      return;
    }
    if (stop.version > version_) new_version(stop.version, true);
    note_offer({message.from, stop.sum_at});
    if (++shards_ready_ < plan_.shards) return;
    last_fetch_ = apply_sum();
    done_ = true;
  }

  bool done() const { return done_; }
  Token last_work() const { return last_fetch_; }

 private:
  /// One more of the shards that a mini-batch waits for is ready.
  void on_shard() {
    if (++shards_ready_ == plan_.shards) begin_step();
  }

  void new_version(std::int64_t version, bool accepted) {
    if (under_way_ && !accepted) {
      backend_.cancel({me_, step_});
      note_cancelled();
    }
    under_way_ = false;
    version_ = version;
    shards_ready_ = 0;
    turns_.begin_round(step_ + 1);
  }

  /// A shard has something to fetch: at once, or in this worker's order of shards.
  void note_offer(const Offer& received) {
    turns_.offer(received, [this](const Offer& offer) { fetch(offer); });
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

  /// Puts the buckets into the order in which they are fetched, if that is another each time.
  void draw_fetch_order() {
    if (!plan_.fetch_turn) return;
    fetch_order_.resize(buckets_.size());
    std::iota(fetch_order_.rbegin(), fetch_order_.rend(), 0);
    std::ranges::sort(fetch_order_, {},
                      [this](std::size_t i) { return plan_.fetch_turn(me_, step_ + 1, i); });
  }
  /// The bucket that is the n-th to be fetched: as drawn, or as forward needs them, the last one
  /// first.
  std::size_t bucket_in_turn(std::size_t n) const {
    return plan_.fetch_turn ? fetch_order_[n] : buckets_.size() - 1 - n;
  }

  /// Queues the copies from one shard.
  void fetch(const Offer& offer) {
    if (plan_.replicas && version_ == 0) return;  // every replica starts with the weights
    const Slice& shard = plan_.cut.shards[static_cast<std::size_t>(offer.server - plan_.workers)];
    const BufferRef source = plan_.replicas
                                 ? BufferRef{offer.server, Buffer::landing,
                                             landing_slot(plan_, offer.sum_at, version_ - 1)}
                                 : BufferRef{offer.server, Buffer::snapshot, me_};
    const BufferRef target{me_, plan_.replicas ? Buffer::gradient : Buffer::weights};
    // a mini-batch under way reads the old weights: wait until it has stopped. A push under way may
    // read what is fetched: wait for that, too
    const bool pushed = plan_.replicas || averages();
    const After after{last_compute_, pushed ? last_push_ : Token{}};
    // of the mini-batch that they are for: those that have not begun are given up with it
    const WorkId next{me_, step_ + 1};
    draw_fetch_order();
    for (std::size_t n = 0; n < buckets_.size(); ++n) {
      const std::size_t i = bucket_in_turn(n);
      const Slice slice = overlap_of(plan_.cut.buckets[i].slice, shard);
      if (slice.size() == 0) continue;
      buckets_[i].weights =
          backend_.copy({me_, StreamKind::fetch}, {source, target, slice}, next, after);
      last_fetch_ = buckets_[i].weights;
    }
  }

  void begin_step() {
    shards_ready_ = 0;
    turns_.begin_round(step_ + 2);  // the next weights may be of the same version
    under_way_ = true;
    if (plan_.replicas && version_ > 0) last_fetch_ = apply_sum();
    if (!plan_.overlap || plan_.replicas) {
      for (BucketTokens& bucket : buckets_) bucket.weights = last_fetch_;
    }
    for (int local = 0; local < plan_.rule.steps(); ++local) {
      mini_batches_.queue(++step_, buckets_);
      last_compute_ = buckets_.back().gradient;
      if (averages()) {
        last_compute_ = queue_local_update(plan_, backend_, {me_, step_});
      }
    }
    // Not cancelled with the mini-batch: where its last operation is, before it begins, that ends
    // while an earlier one still reads weights. This ends after all that has begun.
    if (plan_.gives_up()) last_compute_ = backend_.mark({me_, StreamKind::compute});
    push({me_, step_});
  }

  Token apply_sum() {
    return checkpoints_.queue(version_, queue_replica_update(plan_, backend_, me_, version_,
                                                             plan_.rule.gradients, last_fetch_));
  }

  /// Weights after several steps of its own are pushed, in place of a gradient.
  bool averages() const { return plan_.rule.local_steps > 1; }

  void push(WorkId work) {
    last_push_ = last_compute_;
    const Token first = averages() ? last_compute_ : buckets_.front().gradient;
    queue_link_delay(plan_, backend_, work, first);
    for (std::size_t i = 0; i < plan_.cut.buckets.size(); ++i) {
      for (int turn = 0; turn < plan_.shards; ++turn) {
        const int shard = turns_.shard(turn);
        const Slice slice = overlap_of(plan_.cut.buckets[i].slice,
                                       plan_.cut.shards[static_cast<std::size_t>(shard)]);
        if (slice.size() == 0) continue;
        const BufferRef target{plan_.server(shard), Buffer::landing,
                               landing_slot(plan_, me_, version_)};
        if (plan_.encodes()) {
          const Pushed pushed =
              queue_push(backend_, work, encoded_->piece(i, shard), target, buckets_[i].gradient);
          buckets_[i].pushed = pushed.read;
          last_push_ = pushed.sent;
          continue;
        }
        const BufferRef source{me_, averages() ? Buffer::weights : Buffer::gradient};
        last_push_ = backend_.copy({me_, StreamKind::push}, {source, target, slice}, work,
                                   averages() ? last_compute_ : buckets_[i].gradient);
      }
      if (!averages() && !plan_.encodes()) buckets_[i].pushed = last_push_;
    }
    backend_.send(plan_.server(0), Kinds::make(me_, Gradient{work.step, version_}), last_push_,
                  work);
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  // close together: what every mini-batch needs, since there may be very many workers
  int shards_ready_ = 0;
  std::int64_t step_ = -1;     ///< mini-batches begun, less one
  std::int64_t version_ = -1;  ///< of the weights held or being fetched
  Token last_fetch_;
  Token last_compute_;
  Token last_push_;
  bool under_way_ = false;
  bool done_ = false;
  std::vector<BucketTokens> buckets_;
  std::vector<std::size_t> fetch_order_;
  ShardTurns turns_;
  Life life_;
  MiniBatches mini_batches_;
  Checkpoints checkpoints_;
  std::unique_ptr<EncodedGradient> encoded_;  ///< null: pieces are not encoded
};

}  // namespace

Task<> parameter_server_worker(const Plan& plan, Backend& backend, RoleId me) {
  Worker worker(plan, backend, me);
  while (!worker.done()) {
    const Message message = co_await backend.receive(me);
    deliver_to<Kinds>(worker, message);
  }
  co_await backend.finished(me, worker.last_work());
}

}  // namespace paceline
