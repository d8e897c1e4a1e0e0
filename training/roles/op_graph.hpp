// SPDX-License-Identifier: MIT
/// \file
/// The bookkeeping that every clock shares: queued operations with their dependencies, in-order
/// streams, cancellation, channels, mailboxes and the roles that wait on them. A clock derives from
/// it and says only how an operation begins and when it has ended. Single-threaded.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "training/roles/backend.hpp"
#include "training/roles/observer.hpp"
#include "training/roles/ring_queue.hpp"
#include "training/roles/stable_vector.hpp"
#include "training/roles/task.hpp"

namespace paceline {

class OpGraph : public Backend {
 public:
  /// \param roles     number of roles
  /// \param channels  number of channels
  /// \param workers   roles below this number are workers: their mini-batches can be cancelled
  OpGraph(int roles, int channels, int workers, Observer* observer);

  Token submit(Stream stream, const Command& command, After after) final;
  void send(RoleId to, const Message& message, After after, WorkId work) final;
  void cancel(WorkId work) final;
  void kill(WorkId work) final;
  Token arrival(std::int32_t channel) final;
  bool complete(Token token) const final {
    return ops_[token.slot].generation != token.generation || token.slot == 0;
  }

  /// Makes `program` the coroutine of `role`; it starts with the first `run_ready`.
  void start_role(RoleId role, Task<> program);
  /// Resumes roles until none is ready. Rethrows what a role throws.
  void run_ready();
  bool all_roles_done() const { return roles_done_ == roles_started_; }
  std::size_t roles_done() const { return roles_done_; }

 protected:
  using OpIndex = std::uint32_t;

  /// Starts an operation whose dependencies are complete. True: it took no time and is done.
  virtual bool begin(OpIndex op, Stream stream, const Command& command) = 0;
  /// The running operation on a worker's compute stream was cancelled: end it as soon as the
  /// machine can, then `finish` it.
  virtual void interrupt(OpIndex op, const Command& command) = 0;
  /// Likewise, and its worker has died.
  virtual void interrupt_at_once(OpIndex op, const Command& command) { interrupt(op, command); }
  /// True when the command takes no time and has no effect at all, so that it need not exist.
  virtual bool is_free(Stream stream, const Command& command) const = 0;
  /// An operation has been queued; it may begin at once, or much later.
  virtual void queued(OpIndex /*op*/) {}
  /// Something waits for the end of `op`: a role, or another operation. Until then it is enough to
  /// tell of its end together with what follows.
  virtual void wanted(OpIndex /*op*/) {}
  /// True where the device itself keeps a stream's order, so that work may be handed to it behind
  /// work that still runs; false where an operation begins only when the stream's last one has
  /// ended.
  virtual bool keeps_stream_order() const { return false; }
  /// Calls `device_orders` and what follows from it from now on.
  void let_device_order() { device_orders_ = true; }
  /// True where the device itself can make `op` wait for `before` (of any other stream, or an
  /// arrival): `op` may then begin once `before` is handed over.
  virtual bool device_orders(OpIndex /*op*/, OpIndex /*before*/) const { return false; }
  /// The device must make `op` wait for `before`, whose `source_of` counts when `op` begins.
  virtual void must_await(OpIndex /*op*/, Token /*before*/) {}
  /// Mean loss of the mini-batch that a worker last finished; NaN where nothing is trained.
  virtual double last_loss(RoleId worker) const = 0;
  /// Passes a message on to the process that runs the role, if that is another one.
  virtual bool forward(RoleId /*to*/, const Message& /*message*/) { return false; }
  /// Likewise the cancellation of a worker's mini-batch.
  virtual bool forward(WorkId /*work*/) { return false; }
  /// A role has something to decide; the clock calls `wake` when the host has got round to it.
  virtual void decide(RoleId role) = 0;

  void finish(OpIndex op, Outcome outcome);
  /// Of devices that order operations themselves: all of a running operation is in the device's
  /// hands, so what follows it may be handed over too.
  void note_handed_over(OpIndex op);
  Token token_of(OpIndex op) const { return {op, ops_[op].generation}; }
  /// The operation that a token stands for: of an arrival the copy that brings it, once that is
  /// handed over.
  Token source_of(Token token) const {
    if (token.slot >= sources_.size() || complete(token)) return token;
    const Token source = sources_[token.slot];
    return source.slot == 0 ? token : source;
  }
  /// Tells the observer of an operation that ran; `whole`: to its end, not cancelled.
  void report(Stream stream, const Command& command, Instant began, Instant ended, bool whole);
  /// A mini-batch has begun, if `work` is the first of it. Devices that keep a stream's order say
  /// so themselves: what is handed to them begins later.
  void note_begun(WorkId work, Instant at);
  /// A message from another process, its loss told there.
  void deliver_from_elsewhere(RoleId to, const Message& message) { put_in_mailbox(to, message); }
  /// Something has arrived on a channel whose copies another process makes.
  void arrived_from_elsewhere(std::int32_t channel) {
    arrived(channel);
    start_what_may();
  }
  /// The arithmetic of a worker failed: what it was at is cancelled, and the worker is told.
  void let_die(WorkId work);
  void wake(RoleId role) { ready_.push(role); }
  /// Names the roles that have not ended and what each waits for. Nothing must be in flight.
  std::string deadlock() const;
  /// Names what has begun and has not ended, workers' lifetimes aside; "" where nothing has.
  std::string what_is_under_way() const;
  bool is_cancelled(WorkId work) const {
    return work.worker >= 0 && work.step <= cancelled_[static_cast<std::size_t>(work.worker)];
  }
  const Command& command(OpIndex op) const { return ops_[op].command; }
  Stream stream_of(OpIndex op) const { return ops_[op].stream; }
  Observer* observer() const { return observer_; }
  bool parts_wanted() const { return observer_ != nullptr && observer_->wants_parts(); }
  /// A device with one copy engine: pushes and fetches of a role keep one order.
  void use_one_copy_stream() { one_copy_stream_ = true; }

  bool has_message(RoleId role) const final { return !state(role).mailbox.empty(); }
  Message take_message(RoleId role) final { return state(role).mailbox.pop(); }
  void wait_for_message(RoleId role, std::coroutine_handle<> at) final;
  void wait_for(RoleId role, Token token, std::coroutine_handle<> at) final;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  enum class State : std::uint8_t { unused, waiting, running, handed_over };
  struct Op {
    std::uint32_t generation = 1;
    std::uint32_t first_edge = kNone;
    std::uint16_t pending = 0;
    State state = State::unused;
    std::uint32_t next_in_stream = kNone;  ///< begins after this has, where the device keeps order
    RoleId waiter = -1;
    Stream stream;
    Command command;
    Message message;  ///< of a send
  };
  struct Edge {
    OpIndex dependent : 31;
    OpIndex on_hand_over : 1;  ///< goes with the operation's hand-over, not with its end
    std::uint32_t next;
  };
  struct RoleState {
    RingQueue<Message> mailbox;
    std::coroutine_handle<> at;
    bool awaits_message = false;
    Token awaited;  ///< what it last waited for, messages aside
    Task<> program;
  };
  struct Channel {
    RingQueue<OpIndex> expected;  ///< arrivals asked for and not there yet
    std::int64_t early = 0;       ///< arrivals that nobody has asked for yet
    RingQueue<Token> coming;      ///< likewise, by copies that have been handed over
  };

  RoleState& state(RoleId role) { return roles_[static_cast<std::size_t>(role)]; }
  const RoleState& state(RoleId role) const { return roles_[static_cast<std::size_t>(role)]; }
  Token& tail_of(Stream stream) {
    if (one_copy_stream_ && stream.kind == StreamKind::fetch) stream.kind = StreamKind::push;
    return tails_[static_cast<std::size_t>(stream.role) * kStreamKinds +
                  static_cast<std::size_t>(stream.kind)];
  }
  OpIndex allocate();
  void give_up(WorkId work, bool at_once);
  std::string name_of(RoleId role) const;
  std::string name_of(const Op& op) const;
  bool is_behind(Stream stream, Token token) const;
  void depend(OpIndex op, Token on, bool on_hand_over = false);
  void follow(OpIndex op, Token before);
  void let_dependents_go(OpIndex op);
  void let_followers_go(OpIndex op);
  void start_what_may();
  void start(OpIndex op);
  void let_next_begin(OpIndex op);
  void note_running(OpIndex op, WorkId work);
  void release(OpIndex op);
  void deliver(RoleId to, Message message);
  void put_in_mailbox(RoleId to, const Message& message);
  void arrived(std::int32_t channel);
  void bring(OpIndex copy);

  StableVector<Op> ops_;
  std::vector<OpIndex> free_ops_;
  std::vector<Edge> edges_;
  std::uint32_t free_edge_ = kNone;
  std::vector<Token> tails_;             ///< last operation of every stream
  std::vector<OpIndex> running_;         ///< per worker: what its compute stream does now
  std::vector<std::int64_t> cancelled_;  ///< per worker: mini-batches up to this one are cancelled
  std::vector<std::int64_t> begun_;      ///< per worker: the last mini-batch that has started
  std::vector<std::uint16_t> lives_;     ///< per worker: how often it has been replaced
  std::vector<RoleState> roles_;
  std::vector<Channel> channels_;
  // where the device orders operations itself, by operation
  std::vector<Token> sources_;   ///< of an arrival: the copy that brings it
  std::vector<Token> arrivals_;  ///< of a copy: what it brings, if that was asked for
  RingQueue<RoleId> ready_;
  std::vector<OpIndex> startable_;  ///< worklist, so that chains do not recurse
  bool starting_ = false;
  bool one_copy_stream_ = false;
  bool device_orders_ = false;
  std::size_t roles_started_ = 0;
  std::size_t roles_done_ = 0;
  Observer* observer_;
};

}  // namespace paceline
