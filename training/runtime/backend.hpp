// SPDX-License-Identifier: MIT
/// \file
/// The services of a machine, real or simulated, to a role. Work is queued and returns at once with
/// a token; `After` is device order and never waits on the host; `co_await` is a decision of the
/// host, used only where a policy needs one. A strategy does not know which backend it runs on.
#pragma once
#include <array>
#include <concepts>
#include <coroutine>
#include <optional>
#include <string>

#include "training/runtime/message.hpp"

namespace paceline {

/// Up to three tokens that queued work waits for, besides its stream's order.
class After {
 public:
  After() = default;
  After(Token a)
      : tokens_{a}, count_(1) {}  // NOLINT(google-explicit-constructor): After{} reads as a list
  After(Token a, Token b) : tokens_{a, b}, count_(2) {}
  After(Token a, Token b, Token c) : tokens_{a, b, c}, count_(3) {}
  const Token* begin() const { return tokens_.data(); }
  const Token* end() const { return tokens_.data() + count_; }

 private:
  std::array<Token, 3> tokens_{};
  int count_ = 0;
};

struct CollectiveCall;

/// The end of a collective on one rank.
struct Reduced {
  Token summed;  ///< the rank's buffer has the result
  Token sent;    ///< no other rank reads the buffer any more
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual Instant now() const = 0;

  /// Queues a command on a stream.
  virtual Token submit(Stream stream, const Command& command, const After& after) = 0;
  /// Sends a control message; with `after`, once those tokens are complete. With `work` it carries
  /// that mini-batch's loss, and is not sent if the work is cancelled.
  virtual void send(RoleId to, const Message& message, const After& after = {},
                    WorkId work = {}) = 0;
  /// Cancels a mini-batch: a delay ends at once, arithmetic at the next layer, what is queued never
  /// starts, a copy in flight finishes and is discarded.
  virtual void cancel(WorkId work) = 0;
  /// Cancels the mini-batches of a worker that has died, the last of them `work`: arithmetic stops
  /// at once where the machine can stop it.
  virtual void kill(WorkId work) = 0;
  /// Why a worker died, in words, where the machine knows.
  virtual std::string cause_of_death(RoleId worker) const = 0;
  /// A token for the arrival at `to` of the next copy from `from` that is announced. Such copies
  /// between two roles are of one stream, and are awaited in their order.
  virtual Token arrival(RoleId to, RoleId from) = 0;

  /// `co_await backend.receive(me)`: the next message to this role.
  struct Receive {
    Backend* backend;
    RoleId role;
    bool await_ready() const { return backend->has_message(role); }
    void await_suspend(std::coroutine_handle<> at) const { backend->wait_for_message(role, at); }
    Message await_resume() const { return backend->take_message(role); }
  };
  Receive receive(RoleId role) { return {this, role}; }

  /// `co_await backend.finished(me, token)`: goes on once the work has ended.
  struct Finished {
    Backend* backend;
    RoleId role;
    Token token;
    bool await_ready() const { return backend->complete(token); }
    void await_suspend(std::coroutine_handle<> at) const { backend->wait_for(role, token, at); }
    void await_resume() const {}
  };
  Finished finished(RoleId role, Token token) { return {this, role, token}; }

  virtual bool complete(Token token) const = 0;

  /// A machine that knows how the steps of a schedule go takes a call of it as a whole. Returns its
  /// ends, before any step is queued; empty: the caller carries out the steps.
  virtual std::optional<Reduced> whole_call(const CollectiveCall& /*call*/, Token /*ready*/) {
    return std::nullopt;
  }

  /// Reports to the observer that a worker begins its step number `step` now, or has made its
  /// update to `version`; of programs that have no mini-batches.
  virtual void report_begun(RoleId /*worker*/, std::int64_t /*step*/) {}
  virtual void report_updated(RoleId /*worker*/, std::int64_t /*version*/) {}

  Token delay(Stream stream, Seconds length, WorkId work, const After& after = {}) {
    return submit(stream, {work, Command::Delay{to_ps(length)}}, after);
  }
  Token compute(Stream stream, LayerRange layers, WorkId work, const After& after = {}) {
    if (Token place; is_free<Command::Compute>(stream, after, place)) return place;
    return submit(stream, {work, Command::Compute{layers}}, after);
  }
  /// Layers of validation batch number `number` of the worker.
  Token validate(Stream stream, LayerRange layers, std::int64_t number, WorkId work,
                 const After& after = {}) {
    return submit(stream, {work, Command::Compute{layers, number}}, after);
  }
  Token copy(Stream stream, const Command::Copy& copy, WorkId work = {}, const After& after = {}) {
    if (!copy.announced) {
      if (Token place; is_free<Command::Copy>(stream, after, place)) return place;
    }
    return submit(stream, {work, copy}, after);
  }
  Token reduce(Stream stream, const Command::Reduce& sum, const After& after = {}) {
    if (Token place; is_free<Command::Reduce>(stream, after, place)) return place;
    return submit(stream, {{}, sum}, after);
  }
  Token update(Stream stream, const Command::Update& update, const After& after = {},
               WorkId work = {}) {
    if (Token place; is_free<Command::Update>(stream, after, place)) return place;
    return submit(stream, {work, update}, after);
  }
  /// `command()` makes the update, where it takes time.
  template <std::invocable Make>
  Token update(Stream stream, const Make& command) {
    if (Token place; is_free<Command::Update>(stream, {}, place)) return place;
    return submit(stream, {{}, command()}, {});
  }
  Token assign(Stream stream, const Command::Assign& assign, const After& after = {}) {
    return submit(stream, {{}, assign}, after);
  }
  /// On a server's own stream.
  Token publish(Stream stream, RoleId worker, const After& after = {}) {
    if (Token place; is_free<Command::Publish>(stream, after, place)) return place;
    return submit(stream, {{}, Command::Publish{stream.role, worker}}, after);
  }
  Token mark(Stream stream, const After& after = {}) {
    return submit(stream, {{}, Command::Mark{}}, after);
  }
  Token mark(Stream stream, Command::Mark::About about, WorkId work, const After& after = {}) {
    return submit(stream, {work, Command::Mark{about}}, after);
  }
  Token collective(Stream stream, const Command::Collective& collective, const After& after = {}) {
    return submit(stream, {{}, collective}, after);
  }

 protected:
  virtual bool has_message(RoleId role) const = 0;
  virtual Message take_message(RoleId role) = 0;
  virtual void wait_for_message(RoleId role, std::coroutine_handle<> at) = 0;
  virtual void wait_for(RoleId role, Token token, std::coroutine_handle<> at) = 0;

  /// Commands of kind `What` take no time wherever they are queued and are not seen, but for
  /// announced copies.
  template <class What>
  void note_always_free() {
    always_free_ |= std::uint32_t{1} << Command::number_of<What>();
  }
  bool is_always_free(std::size_t kind) const { return (always_free_ >> kind & 1) != 0; }
  /// Sets the place in the stream's order that a command has which takes no time. False: it is
  /// queued like others.
  virtual bool find_place(Stream /*stream*/, const After& /*after*/, Token& /*place*/) {
    return false;
  }

 private:
  /// Without its command, which is large: of many mini-batches most commands are free. The token
  /// by itself, not an optional one: a processor waits for a read that covers two writes.
  template <class What>
  bool is_free(Stream stream, const After& after, Token& place) {
    return is_always_free(Command::number_of<What>()) && find_place(stream, after, place);
  }

  std::uint32_t always_free_ = 0;  ///< by Command::number_of, a bit
};

}  // namespace paceline
