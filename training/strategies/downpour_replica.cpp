// SPDX-License-Identifier: MIT
#include <array>

#include "training/strategies/downpour.hpp"
#include "training/strategies/downpour_messages.hpp"
#include "training/strategies/mini_batches.hpp"
#include "training/strategies/own_weights.hpp"
#include "training/strategies/shard_turns.hpp"

namespace paceline {
namespace {

using downpour::Applied;
using downpour::Computed;
using downpour::Fetch;
using downpour::Fetched;
using downpour::Kinds;
using downpour::Push;
using downpour::Stop;
using downpour::Weights;

/// One replica. It has two accrual buffers: one fills while the other travels.
class Replica {
 public:
  Replica(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan),
        backend_(backend),
        me_(me),
        life_(plan, backend, me),
        turns_(plan, me),
        mini_batches_(plan, backend, me),
        exchange_(plan.rule.exchange),
        incoming_(static_cast<std::size_t>(plan.shards)),
        held_(static_cast<std::size_t>(plan.shards)),
        at_accrual_(static_cast<std::size_t>(plan.shards)),
        buckets_(plan.cut.buckets.size()) {
    request_weights();
  }

  void on(const Weights& weights, const Message& message) {
    if (!life_.is_mine(weights.life)) return;
    incoming_[shard_of(message.from)] = weights.version;
    turns_.offer({message.from}, [this](const Offer& offer) { fetch(offer.server); });
  }
  void on(const Fetched& fetched, const Message&) {
    if (!life_.is_mine(fetched.life)) return;
    fetch_under_way_ = false;
    weights_have_come_ = true;
    begin_if_idle();
  }
  void on(const Computed& computed, const Message&) {
    if (!life_.is_mine(computed.life)) return;
    idle_ = true;
    if (++accrued_ == exchange_.push_every) push();
    begin_if_idle();
  }
  /// A push outlives the life that made it.
  void on(const Applied& push, const Message&) {
    --travelling_[static_cast<std::size_t>(push.accrual)];
    begin_if_idle();
  }
  void on(const LifetimeOver& over, const Message&) {
    if (life_.is_mine(over.life)) die();
  }
  void on(const ArithmeticFailed& failed, const Message&) {
    if (life_.is_mine(failed)) die();
  }
  void on(const Back& back, const Message&) {
    life_.begin_anew(back);
    request_weights();
  }
  void on(const Stop&, const Message&) {
    if (!idle_) backend_.cancel({me_, step_});
    done_ = true;
  }

  bool done() const { return done_; }

 private:
  std::size_t shard_of(RoleId server) const {
    return static_cast<std::size_t>(server - plan_.workers);
  }
  template <class Kind>
  void send(RoleId to, const Kind& kind, Token after = {}, WorkId work = {}) {
    backend_.send(to, Kinds::make(me_, kind), after, work);
  }

  void request_weights() {
    fetch_under_way_ = true;
    shards_left_ = plan_.shards;
    turns_.begin_round(0);
    for (int turn = 0; turn < plan_.shards; ++turn) {
      send(plan_.server(turns_.shard(turn)), Fetch{life_.ordinal()});
    }
  }

  /// One shard's part, into a buffer that is not computed on.
  void fetch(RoleId server) {
    const Slice& slice = plan_.cut.shards[shard_of(server)];
    last_fetch_ = backend_.copy({me_, StreamKind::fetch},
                                {{server, Buffer::snapshot, me_}, {me_, Buffer::incoming}, slice},
                                {}, adopted_);
    if (--shards_left_ == 0) send(me_, Fetched{life_.ordinal()}, last_fetch_);
  }

  void push() {
    constexpr bool kOutlives = true;  // as the push does
    queue_link_delay(plan_, backend_, {me_, step_}, {}, kOutlives);
    for (int turn = 0; turn < plan_.shards; ++turn) {
      const int shard = turns_.shard(turn);
      const auto index = static_cast<std::size_t>(shard);
      const Slice& slice = plan_.cut.shards[index];
      const Token sent = backend_.copy({me_, StreamKind::push},
                                       {{me_, Buffer::gradient, 1 + filling_},
                                        {plan_.server(shard), Buffer::landing, 2 * me_ + filling_},
                                        slice});
      send(plan_.server(shard), Push{step_, at_accrual_[index], filling_}, sent);
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
    if (step_ % exchange_.fetch_every == 0 && !fetch_under_way_) request_weights();
    mini_batches_.queue(step_, buckets_);
    if (accrued_ == 0) at_accrual_ = held_;
    Command::Reduce accrue{{me_, Buffer::gradient, 1 + filling_}, {me_, Buffer::gradient}};
    accrue.slice = plan_.whole();
    accrue.fresh = accrued_ == 0;
    Token last = backend_.reduce({me_, StreamKind::compute}, accrue);
    // a replica that is to go on for long without fetching trains on its own meanwhile
    if (exchange_.fetch_every > 1) last = queue_local_update(plan_, backend_, work);
    send(me_, Computed{life_.ordinal()}, last, work);
  }

  void adopt() {
    adopted_ = backend_.assign({me_, StreamKind::compute},
                               {{me_, Buffer::weights}, {me_, Buffer::incoming}, plan_.whole()},
                               last_fetch_);
    held_ = incoming_;
    has_weights_ = true;
    weights_have_come_ = false;
  }

  void die() {
    // accrued gradients are lost with the mini-batch under way
    const std::int64_t first = step_ + (idle_ ? 1 : 0) - accrued_;
    report_lost(plan_, backend_, first, {me_, step_}, held_.front());
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
  MiniBatches mini_batches_;
  const Exchange exchange_;
  std::int64_t step_ = -1;  ///< mini-batches begun, less one
  bool idle_ = true;
  bool done_ = false;
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
  std::vector<BucketTokens> buckets_;  ///< of weights that are there
};

}  // namespace

Task<> downpour_replica(const Plan& plan, Backend& backend, RoleId me) {
  Replica replica(plan, backend, me);
  while (!replica.done()) {
    const Message message = co_await backend.receive(me);
    deliver_to<Kinds>(replica, message);
  }
}

}  // namespace paceline
