// SPDX-License-Identifier: MIT
/// \file
/// The machine of `machine: ideal`, on which copies, sums and updates take no time and nothing is
/// shared: the end of all work is known as soon as it is queued. A token is that time. Only a
/// message that comes later is an event, so that an asynchronous mini-batch costs one, and a worker
/// has no more memory than its program and the few works that it has queued. The strategy's
/// programs are those of the other clocks, and times and figures are those of events:
/// tests/sim/ideal compares them.
///
/// Of events at one instant the order is that in which SimulatedMachine would have them: by the
/// time at which the last work before each began. Where that leaves it open, or a program needs
/// more than this machine has, it throws NeedsEvents.
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/devices/layer_clock.hpp"
#include "sim/devices/operation_costs.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/ideal/known_work.hpp"
#include "training/runtime/backend.hpp"
#include "training/runtime/message_pool.hpp"
#include "training/runtime/observer.hpp"
#include "training/runtime/running_roles.hpp"

namespace paceline {

/// A run that an ideal machine cannot carry out.
struct NeedsEvents : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class IdealMachine final : public Backend {
 public:
  /// All references must outlive this. \param vertices of the roles
  IdealMachine(const Machine& machine, const Costs& costs, const std::vector<int>& vertices,
               int workers, Observer* observer);

  void start_role(RoleId role, Task<> program) { roles_.start(role, std::move(program)); }
  /// Runs all roles to their end. Throws NeedsEvents.
  void run();

  Instant now() const override { return now_; }
  Token submit(Stream stream, const Command& command, const After& after) override;
  void send(RoleId to, const Message& message, const After& after, WorkId work) override;
  void cancel(WorkId work) override;
  bool complete(Token token) const override { return time_of(token) <= now_.ps; }
  void report_begun(RoleId worker, std::int64_t step) override;
  void report_updated(RoleId worker, std::int64_t version) override;

  void kill(WorkId) override { throw NeedsEvents("a death"); }
  std::string cause_of_death(RoleId) const override { return ""; }
  Token arrival(RoleId, RoleId) override { throw NeedsEvents("an arrival"); }

 protected:
  bool has_message(RoleId role) const override { return roles_.has_message(role); }
  Message take_message(RoleId role) override { return roles_.take_message(role); }
  void wait_for_message(RoleId role, std::coroutine_handle<> at) override {
    roles_.wait_for_message(role, at);
  }
  void wait_for(RoleId role, Token token, std::coroutine_handle<> at) override;
  bool find_place(Stream stream, const After& after, Token& place) override;

 private:
  enum class EventKind : std::uint8_t { message, wake };
  static EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.what()); }
  /// The role that sends the message, or goes on.
  static RoleId role_of(const Event& event) { return static_cast<RoleId>(event.generation); }
  /// The streams of a role, in one cache line.
  struct alignas(64) Place {
    std::array<std::int64_t, kStreamKinds> free_ps{};  ///< by stream: when its last work ends
    std::int64_t begun = -1;                           ///< mini-batches up to this one have begun
    KnownWorks works;                                  ///< that are not reported yet
  };

  static std::int64_t time_of(Token token) {
    return static_cast<std::int64_t>(std::uint64_t{token.generation()} << 32 | token.slot());
  }
  static Token token_of(std::int64_t ps) {
    const auto bits = static_cast<std::uint64_t>(ps);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
  std::int64_t latest_of(const After& after) const {
    std::int64_t latest = now_.ps;
    for (const Token token : after) latest = std::max(latest, time_of(token));
    return latest;
  }
  Place& place_of(RoleId role) { return places_[static_cast<std::size_t>(role)]; }
  bool is_cancelled(WorkId work) const {
    if (cancelled_.empty() || work.worker < 0) return false;
    return work.step <= cancelled_[static_cast<std::size_t>(work.worker)];
  }
  std::int64_t& free_of(Stream stream) {
    return place_of(stream.role).free_ps[static_cast<std::size_t>(stream.kind)];
  }
  static void check_that_free(const Command& command);
  void note(Stream stream, const Command& command, std::int64_t begin_ps, std::int64_t end_ps);
  void report_change(Stream stream, const Command& command, std::int64_t at_ps);
  void deliver(const MessagePool::Entry& sent);
  void deliver(RoleId to, const Message& message);
  void happen(const Event& event);
  void happen_together(const Event& first);
  bool is_called_off(const Event& event) const;
  bool comes_before(const Event& a, const Event& b) const;
  void fetch_ahead() const;
  void prefetch_next() const;
  void report_ended(RoleId role);
  void report(RoleId role, const KnownWork& work, std::int64_t end_ps, bool whole);
  std::int64_t cut_ps(RoleId worker, const KnownWork& work) const;

  Observer* observer_;
  RoleId workers_;
  LayerClock layers_;
  OperationCosts lengths_;
  Instant now_;
  std::vector<Place> places_;            ///< by role
  std::vector<std::int64_t> cancelled_;  ///< by worker: mini-batches up to this; empty: none at all
  RunningRoles roles_;
  EventQueue events_;
  std::vector<Event> together_;  ///< at one instant, in their order
  MessagePool messages_;         ///< of events to come
};

}  // namespace paceline
