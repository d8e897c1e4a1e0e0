// SPDX-License-Identifier: MIT
/// \file
/// The bookkeeping that every clock shares: queued operations with their dependencies, in-order
/// streams, cancellation, channels, collectives, and the roles that wait. A clock derives from it
/// and says only how an operation begins and when it has ended. Single-threaded.
///
/// **States of an operation**, and the dependents that each lets begin:
///
///     state        reached when                            lets begin
///     waiting      it was queued
///     begun        its dependencies permit: `begin`        the next operation of its stream, where
///                                                          the device keeps a stream's order
///     handed_over  the device has all of it:               operations that the device itself makes
///                  `note_handed_over`                      wait for it
///     ended        `finish`, or `begin` returns true       all others
///
/// So what a device can order is a property of an edge: the state that the dependency must reach.
/// The simulator's devices order nothing, threads order a stream, GPUs also order streams among
/// themselves.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "training/runtime/backend.hpp"
#include "training/runtime/message_pool.hpp"
#include "training/runtime/observer.hpp"
#include "training/runtime/running_roles.hpp"
#include "training/runtime/stable_vector.hpp"

namespace paceline {

/// The order that the devices of a clock keep by themselves.
enum class DeviceOrder : std::uint8_t { nothing, each_stream, among_streams };

class OpGraph : public Backend {
 public:
  /// \param roles    number of roles
  /// \param workers  roles below this number are workers: their mini-batches can be cancelled
  OpGraph(int roles, int workers, Observer* observer, DeviceOrder order = DeviceOrder::nothing);

  Token submit(Stream stream, const Command& command, const After& after) final;
  void send(RoleId to, const Message& message, const After& after, WorkId work) final;
  void cancel(WorkId work) final;
  void kill(WorkId work) final;
  Token arrival(RoleId to, RoleId from) final;
  void report_begun(RoleId worker, std::int64_t step) final {
    if (observer_ != nullptr) observer_->begun(worker, step, now());
  }
  void report_updated(RoleId worker, std::int64_t version) final {
    if (observer_ != nullptr) observer_->updated(worker, version, now());
  }
  bool complete(Token token) const final {
    return token.slot() == 0 || ops_[token.slot()].generation != token.generation();
  }

  /// Makes `program` the coroutine of `role`; it starts with the first `run_ready`.
  void start_role(RoleId role, Task<> program) { roles_.start(role, std::move(program)); }
  /// Resumes roles until none is ready. Rethrows an exception of a role.
  void run_ready() { roles_.run_ready(); }
  bool all_roles_done() const { return roles_.done() == roles_.started(); }
  /// Whether an operation is under way, workers' lifetimes aside: roles may end before their last
  /// operations do.
  bool has_work_under_way() const;
  std::size_t roles_done() const { return roles_.done(); }

 protected:
  using OpIndex = std::uint32_t;

  // ---- what a clock says

  /// Starts an operation, as its dependencies permit it. True: it took no time and has ended.
  virtual bool begin(OpIndex op, Stream stream, const Command& command) = 0;
  /// The running operation on a worker's compute stream, or the delay that its push stream is in,
  /// was cancelled: end it as soon as the machine can, then `finish` it.
  virtual void interrupt(OpIndex op, const Command& command) = 0;
  /// The same, and its worker has died.
  virtual void interrupt_at_once(OpIndex op, const Command& command) { interrupt(op, command); }
  /// True when the command takes no time and has no effect at all, so that it need not exist.
  virtual bool is_free(Stream stream, const Command& command) const = 0;
  /// An operation has been queued; it may begin at once, or much later.
  virtual void queued(OpIndex /*op*/) {}
  /// A role or an operation waits for the end of `op`. Until then its end may be reported together
  /// with what follows.
  virtual void awaited(OpIndex /*op*/) {}
  /// With DeviceOrder::among_streams: whether the device can make `op` wait for `before`, or keeps
  /// their order where both are of one stream. `before` may also be an arrival.
  virtual bool device_orders(OpIndex /*op*/, OpIndex /*before*/) const { return false; }
  /// The device must make `op` wait for `before`: for its `source_of` when `op` begins.
  virtual void must_await(OpIndex /*op*/, Token /*before*/) {}
  /// Mean loss of the mini-batch that a worker last finished; NaN where nothing is trained.
  virtual double last_loss(RoleId worker) const = 0;
  /// Passes a message on to the process that runs the role, if that is another one.
  virtual bool forward(RoleId /*to*/, const Message& /*message*/) { return false; }
  /// Passes the cancellation of a worker's mini-batch on to the process that runs the worker.
  virtual bool forward(WorkId /*work*/) { return false; }
  /// A worker of this process has died.
  virtual void note_death(RoleId /*worker*/) {}
  /// A role has something to decide; the clock calls `wake` when the host has got round to it.
  virtual void decide(RoleId role) = 0;

  // ---- what a clock reports

  void finish(OpIndex op, Outcome outcome);
  /// All of a begun operation is in the device's hands.
  void note_handed_over(OpIndex op);
  /// A rank has come to its next collective, `op`. Returns the operations of all ranks, in the
  /// order in which they came, once the last has come; nothing before.
  std::vector<OpIndex> join(OpIndex op);
  /// Reports an operation that ran to the observer; `whole`: to its end, not cancelled.
  void report(Stream stream, const Command& command, Instant began, Instant ended, bool whole) {
    if (observer_ != nullptr) report_observed(stream, command, began, ended, whole);
  }
  /// A mini-batch has begun, if `work` is the first of it. Only for devices that keep a stream's
  /// order: their work begins later than it is handed to them.
  void note_begun(WorkId work, Instant at);
  /// Delivers a message to a role of this process.
  void put_in_mailbox(RoleId to, const Message& message);
  /// An announced copy of another process has arrived.
  void note_arrival_from_remote(RoleId to, RoleId from) {
    arrived(to, from);
    start_what_may();
  }
  /// The arithmetic of a worker failed: cancels `work`, and reports it to the worker.
  void let_die(WorkId work);
  void wake(RoleId role) { roles_.wake(role); }

  // ---- what a clock may look at

  Token token_of(OpIndex op) const { return {op, ops_[op].generation}; }
  /// The operation that a token stands for: of an arrival the copy that brings it, once that is
  /// handed over.
  Token source_of(Token token) const {
    if (token.slot() >= sources_.size() || complete(token)) return token;
    const Token source = sources_[token.slot()];
    return source.slot() == 0 ? token : source;
  }
  /// Names the roles that have not ended and what each waits for. Nothing must be in flight.
  std::string deadlock() const;
  /// Names what has begun and has not ended, workers' lifetimes aside; "" where nothing has.
  std::string what_is_under_way() const;
  bool is_cancelled(WorkId work) const {
    return work.worker >= 0 && work.step <= queues_of(work.worker).cancelled;
  }
  const Command& command(OpIndex op) const { return ops_[op].command; }
  Stream stream_of(OpIndex op) const { return ops_[op].stream; }
  Observer* observer() const { return observer_; }
  bool parts_observed() const { return observer_ != nullptr && observer_->observes_parts(); }
  /// A device with one copy engine: pushes and fetches of a role keep one order.
  void use_one_copy_stream() { one_copy_stream_ = true; }

  /// A command that takes no time and follows one operation is that operation: no event.
  bool find_place(Stream stream, const After& after, Token& place) final {
    Token& tail = tail_of(stream);
    if (!follows_one(tail, after, place)) return false;
    tail = place;
    return true;
  }
  bool has_message(RoleId role) const final { return roles_.has_message(role); }
  Message take_message(RoleId role) final { return roles_.take_message(role); }
  void wait_for_message(RoleId role, std::coroutine_handle<> at) final {
    roles_.wait_for_message(role, at);
  }
  void wait_for(RoleId role, Token token, std::coroutine_handle<> at) final;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// In the order in which an operation reaches them.
  enum class State : std::uint8_t { waiting, begun, handed_over, ended };
  /// All that a small command needs lies in one cache line.
  struct alignas(64) Op {
    std::uint32_t generation = 1;
    std::uint32_t first_edge = kNone;
    std::uint16_t pending = 0;
    State state = State::ended;
    bool sends = false;  ///< it is a message that waits to be sent
    RoleId waiter = -1;
    RoleId second_waiter = -1;  ///< of a copy: its sender and its receiver may both wait
    /// The message's number; of other operations, of the one that is sent at their end, where
    /// nothing else waits for it.
    std::uint32_t message = kNone;
    Stream stream;  ///< of a message, the role is its sender
    Command command;
  };
  struct Edge {
    OpIndex dependent : 30;
    OpIndex needs : 2;  ///< the State that lets the dependent begin
    std::uint32_t next;
  };
  /// The ends of a role's queues, in one cache line.
  struct alignas(64) Queues {
    /// By stream: its last operation, or the one that a free command after it waited for.
    std::array<Token, kStreamKinds> tails{};
    // of workers
    OpIndex running = 0;          ///< the operation of its compute stream
    OpIndex late = 0;             ///< the running delay of its push stream
    std::int64_t cancelled = -1;  ///< mini-batches up to this one are cancelled
    std::int64_t begun = -1;      ///< the last mini-batch that has started
  };
  /// From one role to another.
  struct Channel {
    RoleId from = 0;
    RingQueue<OpIndex> expected;  ///< arrivals that roles wait for
    std::int64_t early = 0;       ///< arrivals that no role has waited for yet
    RingQueue<Token> coming;      ///< the same, of copies that have been handed over
  };

  /// The stream that the device keeps for it.
  Stream queue_of(Stream stream) const {
    if (one_copy_stream_ && stream.kind == StreamKind::fetch) stream.kind = StreamKind::push;
    return stream;
  }
  Token& tail_of(Stream stream) {
    const Stream queue = queue_of(stream);
    return queues_of(queue.role).tails[static_cast<std::size_t>(queue.kind)];
  }
  Queues& queues_of(RoleId role) { return queues_[static_cast<std::size_t>(role)]; }
  const Queues& queues_of(RoleId role) const { return queues_[static_cast<std::size_t>(role)]; }
  /// The state of a stream's last operation that lets the next one begin.
  State needed_of_last(OpIndex op, Token last) const;
  /// Whether a command in a queue with this tail waits for one operation at most: `only`.
  bool follows_one(Token tail, const After& after, Token& only) const {
    only = complete(tail) ? Token{} : tail;
    for (const Token token : after) {
      if (token.slot() == 0 || token == only || complete(token)) continue;
      if (only.slot() != 0) return false;
      only = token;
    }
    return true;
  }
  Token queue(Stream stream, const Command& command, const After& after, Token& tail);
  bool is_beside(OpIndex op) const {
    const auto* copy = ops_[op].command.as<Command::Copy>();
    return copy != nullptr && copy->beside;
  }
  OpIndex allocate_message(std::uint32_t message);
  void add_edge(OpIndex op, OpIndex on, State needs);
  void detach_message(OpIndex op);
  void report_observed(Stream stream, const Command& command, Instant began, Instant ended,
                       bool whole);
  OpIndex allocate(Stream stream);
  void give_up(WorkId work, bool at_once);
  bool is_under_way(const Op& op) const;
  std::string name_of(RoleId role) const;
  std::string name_of(const Op& op) const;
  void report_mark(RoleId role, WorkId work, Command::Mark::About about, Instant at);
  /// A gradient that is cancelled must not enter a residual: its encoding may be handed over only
  /// when all before it has ended, since a device does all that it has.
  bool is_final(const Command& command) const {
    const auto* encode = command.as<Command::Encode>();
    return order_ == DeviceOrder::among_streams && encode != nullptr && encode->codec.feeds_back();
  }
  State needed_of(OpIndex op, OpIndex before) const;
  void depend(OpIndex op, Token on, State needs);
  void follow(OpIndex op, Token before);
  void note_reached(OpIndex op, State state);
  void start_what_may();
  void start(OpIndex op);
  OpIndex* running_of(const Op& op);
  void end(OpIndex op);
  void send_now(MessagePool::Entry& sent);
  Channel& channel(RoleId to, RoleId from);
  void arrived(RoleId to, RoleId from);
  void bring(OpIndex copy);

  const DeviceOrder order_;
  StableVector<Op> ops_;
  std::vector<OpIndex> free_ops_;
  std::vector<Edge> edges_;
  std::uint32_t free_edge_ = kNone;
  std::vector<Queues> queues_;  ///< by role
  const RoleId workers_;
  std::map<RoleId, Instant> marked_;  ///< when it last came to the first of two marks
  RunningRoles roles_;
  MessagePool messages_;                        ///< that wait for operations
  std::vector<std::vector<Channel>> channels_;  ///< by the role that they lead to
  // with DeviceOrder::among_streams, by operation
  std::vector<Token> sources_;   ///< of an arrival: the copy that brings it
  std::vector<Token> arrivals_;  ///< of a copy: the arrival that a role waits for
  // collectives from number `first_call_` on, to which some ranks have come
  std::deque<std::vector<OpIndex>> calls_;
  std::int64_t first_call_ = 0;
  std::vector<std::int64_t> joined_;  ///< by rank: collectives that it has come to
  /// An operation, or a message that is to be sent without one.
  struct Startable {
    OpIndex op = 0;
    std::uint32_t message = kNone;
  };
  std::vector<Startable> startable_;  ///< worklist, so that chains do not recurse; last one first
  bool starting_ = false;
  bool one_copy_stream_ = false;
  Observer* observer_;
};

}  // namespace paceline
