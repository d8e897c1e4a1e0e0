// SPDX-License-Identifier: MIT
#include <array>

#include "training/strategies/downpour.hpp"
#include "training/strategies/life.hpp"
#include "training/strategies/shard_turns.hpp"

namespace paceline {
namespace {

/// One replica. It has two accrual buffers: one fills while the other travels.
class Replica {
 public:
  Replica(const Plan& plan, Backend& backend, RoleId me, bool links_apart)
      : plan_(plan),
        backend_(backend),
        me_(me),
        life_(plan, backend, me),
        turns_(plan, me, links_apart),
        exchange_(plan.rule.exchange),
        incoming_(static_cast<std::size_t>(plan.shards)),
        held_(static_cast<std::size_t>(plan.shards)),
        at_accrual_(static_cast<std::size_t>(plan.shards)) {
    ask_for_weights();
  }

  /// Returns whether that was the last word.
  bool on_message(const Message& message) {
    switch (message.kind) {
      case Message::Kind::weights:
        if (life_.is_mine(message)) note_offer(message);
        return false;
      case Message::Kind::done:
        if (life_.is_mine(message)) on_done(message);
        return false;
      case Message::Kind::go_on:  // a shard has applied a push; pushes outlive who made them
        --travelling_[message.used ? 1 : 0];
        begin_if_idle();
        return false;
      case Message::Kind::died:
        if (life_.is_mine(message)) die();
        return false;
      case Message::Kind::back:
        life_.begin_anew(message);
        ask_for_weights();
        return false;
      default:
        if (!idle_) backend_.cancel({me_, step_});
        return true;
    }
  }

 private:
  static constexpr std::int64_t kFetched = -1;  ///< `step` of the message that a fetch has ended

  void ask_for_weights() {
    fetch_under_way_ = true;
    shards_left_ = plan_.shards;
    turns_.begin_round();
    Message ask;
    ask.kind = Message::Kind::fetch;
    ask.from = ask.worker = me_;
    ask.life = life_.ordinal();
    for (int turn = 0; turn < plan_.shards; ++turn) {
      backend_.send(plan_.server(turns_.shard(turn)), ask);
    }
  }

  void note_offer(const Message& message) {
    turns_.offer(message, [this](const Message& offer) { fetch(offer); });
  }

  /// One shard's part, into a buffer that nothing computes on.
  void fetch(const Message& message) {
    const auto shard = static_cast<std::size_t>(message.from - plan_.workers);
    const Slice& slice = plan_.cut.shards[shard];
    last_fetch_ =
        backend_.copy({me_, StreamKind::fetch}, {message.from, Buffer::snapshot, me_, slice},
                      {me_, Buffer::incoming, 0, slice}, {}, adopted_);
    incoming_[shard] = message.version;
    if (--shards_left_ == 0) tell_myself(kFetched, last_fetch_, {});
  }

  void tell_myself(std::int64_t step, Token after, WorkId work) {
    Message done;
    done.kind = Message::Kind::done;
    done.from = done.worker = me_;
    done.life = life_.ordinal();
    done.step = step;
    backend_.send(me_, done, after, work);
  }

  void on_done(const Message& message) {
    if (message.step == kFetched) {
      fetch_under_way_ = false;
      weights_have_come_ = true;
    } else {
      idle_ = true;
      if (++accrued_ == exchange_.push_every) push();
    }
    begin_if_idle();
  }

  void push() {
    for (int turn = 0; turn < plan_.shards; ++turn) {
      const int shard = turns_.shard(turn);
      const auto index = static_cast<std::size_t>(shard);
      const Slice& slice = plan_.cut.shards[index];
      const Token sent =
          backend_.copy({me_, StreamKind::push}, {me_, Buffer::gradient, 1 + filling_, slice},
                        {plan_.server(shard), Buffer::landing, 2 * me_ + filling_, slice}, {});
      Message gradient;
      gradient.kind = Message::Kind::gradient;
      gradient.from = gradient.worker = me_;
      gradient.life = life_.ordinal();
      gradient.used = filling_ == 1;
      gradient.version = at_accrual_[index];
      gradient.step = step_;
      backend_.send(plan_.server(shard), gradient, sent);
    }
    travelling_[static_cast<std::size_t>(filling_)] = plan_.shards;
    filling_ = 1 - filling_;
    accrued_ = 0;
  }

  void begin_if_idle() {
    const bool has_weights = has_weights_ || weights_have_come_;
    if (!idle_ || !has_weights || travelling_[static_cast<std::size_t>(filling_)] > 0) return;
    idle_ = false;
    if (weights_have_come_) adopt();
    const WorkId work{me_, ++step_};
    if (step_ % exchange_.fetch_every == 0 && !fetch_under_way_) ask_for_weights();
    queue_mini_batch(plan_, backend_, work, std::vector<Token>(plan_.cut.buckets.size()), batch_);
    if (accrued_ == 0) at_accrual_ = held_;
    const Slice whole = plan_.whole();
    Token last =
        backend_.reduce({me_, StreamKind::compute}, {me_, Buffer::gradient, 1 + filling_, whole},
                        {me_, Buffer::gradient, 0, whole}, {}, accrued_ == 0);
    // a replica that is to go on for long without fetching trains on its own meanwhile
    if (exchange_.fetch_every > 1) last = queue_local_update(plan_, backend_, work);
    tell_myself(step_, last, work);
  }

  void adopt() {
    const Slice whole = plan_.whole();
    adopted_ = backend_.assign({me_, StreamKind::compute}, {me_, Buffer::weights, 0, whole},
                               {me_, Buffer::incoming, 0, whole}, 1, 0, last_fetch_);
    held_ = incoming_;
    has_weights_ = true;
    weights_have_come_ = false;
  }

  void die() {
    if (!idle_ && plan_.observer != nullptr) {
      plan_.observer->cancelled(me_, step_, held_.front(), backend_.now());
    }
    life_.end(step_, false, 0);
    idle_ = true;
    has_weights_ = weights_have_come_ = false;
    accrued_ = 0;
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  Life life_;
  ShardTurns turns_;
  const Exchange exchange_;
  std::int64_t step_ = -1;  ///< mini-batches begun, less one
  bool idle_ = true;
  bool has_weights_ = false;
  bool fetch_under_way_ = false;
  bool weights_have_come_ = false;
  int shards_left_ = 0;                   ///< that have not answered the fetch under way
  std::vector<std::int64_t> incoming_;    ///< by shard: the version that comes, or has come
  std::vector<std::int64_t> held_;        ///< by shard: the version computed on
  std::vector<std::int64_t> at_accrual_;  ///< by shard: of the oldest gradient accrued
  int accrued_ = 0;                       ///< mini-batches in the accrual buffer being filled
  int filling_ = 0;
  std::array<int, 2> travelling_{};  ///< by accrual buffer: shards that have not applied it
  Token last_fetch_;
  Token adopted_;
  MiniBatch batch_;
};

}  // namespace

Task<> downpour_replica(const Plan& plan, Backend& backend, RoleId me, bool links_apart) {
  Replica replica(plan, backend, me, links_apart);
  for (;;) {
    const Message message = co_await backend.receive(me);
    if (replica.on_message(message)) break;
  }
}

}  // namespace paceline
