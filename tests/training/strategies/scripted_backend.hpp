// SPDX-License-Identifier: MIT
/// \file
/// A backend without a clock: it records what roles queue and send, and work ends when the test
/// says so. A policy's schedule is then queried by kind and stream: the third copy that worker 2
/// pushes, and whether it follows its backward pass.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "training/runtime/backend.hpp"
#include "training/runtime/running_roles.hpp"

namespace paceline {

class ScriptedBackend final : public Backend {
 public:
  struct Queued {
    Stream stream;
    Command command;
    std::vector<Token> after;  ///< the stream's order included
    bool ended = false;
  };
  struct Sent {
    RoleId to = 0;
    Message message;
    std::vector<Token> after;
    WorkId work;
    bool delivered = false;
  };

  /// \param local the roles that run here; messages to others stay in `sent`
  ScriptedBackend(int roles, std::set<RoleId> local) : roles_(roles), local_(std::move(local)) {}

  // ---- the script

  /// Starts a role and runs it until it waits.
  void start(RoleId role, Task<> program);
  /// Delivers a message to a role that runs here.
  void deliver(RoleId to, const Message& message);
  /// Ends a queued operation. Throws std::logic_error where one that it follows has not ended.
  void end(Token token);
  /// Ends operations that follow no open one, earlier ones first, until none is left.
  void end_all();

  // ---- the schedule

  const std::vector<Queued>& queued() const { return queued_; }
  const std::vector<Sent>& sent() const { return sent_; }
  const std::vector<WorkId>& cancelled() const { return cancelled_; }
  const std::vector<WorkId>& killed() const { return killed_; }
  bool done(RoleId role) const { return done_.count(role) > 0; }

  /// The n-th command of a kind in a stream, from 1, of those that `which` accepts; the default
  /// token if there are fewer.
  template <class What>
  Token nth(
      int n, Stream stream,
      const std::function<bool(const What&)>& which = [](const What&) { return true; }) const {
    for (std::size_t i = 0; i < queued_.size(); ++i) {
      const Queued& one = queued_[i];
      if (one.stream.role != stream.role || one.stream.kind != stream.kind) continue;
      const auto* what = one.command.as<What>();
      if (what != nullptr && which(*what) && --n == 0) return token_of(i);
    }
    return {};
  }
  template <class What>
  int count(Stream stream) const {
    int n = 0;
    while (nth<What>(n + 1, stream) != Token{}) ++n;
    return n;
  }
  template <class What>
  const What& command(Token token) const {
    return *at(token).command.template as<What>();
  }
  /// Whether `later` cannot begin before `earlier` has ended.
  bool follows(Token later, Token earlier) const;
  /// The messages of a kind to a role, delivered or not.
  template <class Kinds, class Kind>
  std::vector<Kind> messages_to(RoleId to) const {
    std::vector<Kind> all;
    for (const Sent& one : sent_) {
      if (one.to != to || one.message.from == kMachine) continue;
      if (one.message.kind != Kinds::template number_of<Kind>()) continue;
      std::memcpy(&all.emplace_back(), one.message.payload.data(), sizeof(Kind));
    }
    return all;
  }

  // ---- Backend

  Instant now() const override { return {}; }
  Token submit(Stream stream, const Command& command, const After& after) override;
  void send(RoleId to, const Message& message, const After& after, WorkId work) override;
  void cancel(WorkId work) override;
  void kill(WorkId work) override;
  std::string cause_of_death(RoleId) const override { return "the script"; }
  Token arrival(RoleId to, RoleId from) override;
  bool complete(Token token) const override { return token.slot() == 0 || at(token).ended; }

 protected:
  bool has_message(RoleId role) const override { return roles_.has_message(role); }
  Message take_message(RoleId role) override { return roles_.take_message(role); }
  void wait_for_message(RoleId role, std::coroutine_handle<> at) override {
    roles_.wait_for_message(role, at);
  }
  void wait_for(RoleId role, Token token, std::coroutine_handle<> at) override;

 private:
  static Token token_of(std::size_t index) { return {static_cast<std::uint32_t>(index + 1), 1}; }
  Queued& at(Token token) { return queued_[token.slot() - 1]; }
  const Queued& at(Token token) const { return queued_[token.slot() - 1]; }
  bool all_complete(const std::vector<Token>& tokens) const;
  void give_up(WorkId work);
  void go_on();

  RunningRoles roles_;
  std::set<RoleId> local_;
  std::set<RoleId> done_;
  std::vector<Queued> queued_;  ///< by token; an arrival is an operation of no stream, role -1
  std::vector<Sent> sent_;
  std::vector<WorkId> cancelled_, killed_;
  std::vector<std::pair<RoleId, Token>> waiting_;
  using Way = std::pair<RoleId, RoleId>;         ///< to, from
  std::vector<std::pair<Way, Token>> arrivals_;  ///< expected
  std::map<Way, int> early_;                     ///< arrivals that no role has waited for yet
};

}  // namespace paceline
