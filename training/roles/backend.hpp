// SPDX-License-Identifier: MIT
/// \file
/// What a role may ask of the machine, real or simulated. Work is queued and returns at once with a
/// token; `After` is device order and never waits on the host; `co_await` is a decision of the
/// host, used only where a policy needs one. A strategy never asks which backend it runs on.
#pragma once
#include <array>
#include <coroutine>
#include <string>

#include "training/roles/command.hpp"

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

/// What the update rule may know of an update.
struct UpdateMoment {
  float scale = 1;           ///< 1 / number of gradients summed
  std::int64_t version = 0;  ///< that it makes; 0: none of the model's, a worker's own
  GradientAge age;           ///< of the gradient given, and how far training is
  float mean_staleness = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual Instant now() const = 0;

  /// Queues a command on a stream.
  virtual Token submit(Stream stream, const Command& command, After after) = 0;
  /// Sends a control message; with `after`, once those tokens are complete. A message of cancelled
  /// work is not sent.
  virtual void send(RoleId to, const Message& message, After after = {}, WorkId work = {}) = 0;
  /// Cancels a mini-batch: a delay ends at once, arithmetic at the next layer, what is queued never
  /// starts, a copy in flight finishes and is discarded.
  virtual void cancel(WorkId work) = 0;
  /// Cancels the mini-batches of a worker that has died, the last of them `work`: arithmetic stops
  /// at once where the machine can stop it.
  virtual void kill(WorkId work) = 0;
  /// Why a worker died, in words, where the machine knows.
  virtual std::string cause_of_death(RoleId worker) const = 0;
  /// A token for the next arrival on a channel that some role's copies notify, in order.
  virtual Token arrival(std::int32_t channel) = 0;

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

  Token delay(Stream stream, Seconds length, WorkId work, After after = {}) {
    Command command;
    command.kind = Command::Kind::delay;
    command.work = work;
    command.delay_ps = to_ps(length);
    return submit(stream, command, after);
  }
  Token compute(Stream stream, LayerRange layers, WorkId work, After after = {}) {
    Command command;
    command.kind = Command::Kind::compute;
    command.work = work;
    command.layers = layers;
    return submit(stream, command, after);
  }
  /// Copies `from` to `to`; `channel`, if any, is told when the last byte has arrived.
  Token copy(Stream stream, const BufferRef& from, const BufferRef& to, WorkId work,
             After after = {}, std::int32_t channel = -1) {
    Command command;
    command.kind = Command::Kind::copy;
    command.work = work;
    command.from = from;
    command.to = to;
    command.channel = channel;
    return submit(stream, command, after);
  }
  /// into += from (or, `fresh`, into = from), at the stream's place.
  Token reduce(Stream stream, const BufferRef& into, const BufferRef& from, After after = {},
               bool fresh = false, GradientAge age = {}) {
    Command command;
    command.kind = Command::Kind::reduce;
    command.from = from;
    command.to = into;
    command.fresh = fresh;
    command.age = age;
    return submit(stream, command, after);
  }
  /// Makes version `made.version` of `weights` by the optimizer from `gradient` x made.scale.
  Token update(Stream stream, const BufferRef& weights, const BufferRef& gradient,
               const UpdateMoment& made, After after = {}, WorkId work = {}) {
    Command command;
    command.kind = Command::Kind::update;
    command.work = work;
    command.from = gradient;
    command.to = weights;
    command.scale = made.scale;
    command.version = made.version;
    command.age = made.age;
    command.mean_staleness = made.mean_staleness;
    return submit(stream, command, after);
  }
  /// weights = scale x from: an average, or weights adopted whole. `version` as in Command.
  Token assign(Stream stream, const BufferRef& weights, const BufferRef& from, float scale,
               std::int64_t version, After after = {}, WorkId work = {}) {
    Command command;
    command.kind = Command::Kind::assign;
    command.work = work;
    command.from = from;
    command.to = weights;
    command.scale = scale;
    command.version = version;
    return submit(stream, command, after);
  }
  /// Makes the current weights of a server the snapshot that `worker` may fetch.
  Token publish(Stream stream, const BufferRef& weights, RoleId worker, After after = {}) {
    Command command;
    command.kind = Command::Kind::publish;
    command.to = weights;
    command.to.slot = worker;
    return submit(stream, command, after);
  }
  /// All-reduce (sum) of `slice` of every rank's gradient by the machine's own library.
  Token collective(Stream stream, Slice slice, int group, After after = {}) {
    Command command;
    command.kind = Command::Kind::collective;
    command.from = {stream.role, Buffer::gradient, 0, slice};
    command.group = group;
    return submit(stream, command, after);
  }

 protected:
  virtual bool has_message(RoleId role) const = 0;
  virtual Message take_message(RoleId role) = 0;
  virtual void wait_for_message(RoleId role, std::coroutine_handle<> at) = 0;
  virtual void wait_for(RoleId role, Token token, std::coroutine_handle<> at) = 0;
};

}  // namespace paceline
