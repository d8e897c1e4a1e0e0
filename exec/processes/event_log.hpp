// SPDX-License-Identifier: MIT
/// \file
/// What a process has observed of a repeat, kept as plain data: process 0 gets the logs of all,
/// puts what is in them in one order and tells its own observers.
///
/// **The order.** Every event has a stamp on the common clock, never less than that of the event
/// before it, nor of the message that it follows from, wherever that came from (a hybrid logical
/// clock: Kulkarni et al., OPODIS 2014). So what follows from a message never comes before it was
/// sent, however far the clocks of two computers are apart. Stamps are for the order only.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/host/time_source.hpp"
#include "training/roles/observer.hpp"

namespace paceline {

class EventLog final : public Observer {
 public:
  /// Plain data; which fields count depends on `kind`.
  struct Event {
    enum class Kind : std::uint8_t {
      begun,
      span,
      gradient_computed,
      accepted,
      cancelled,
      updated,
      died,
      operation,
      part
    };
    Kind kind = Kind::begun;
    Activity activity = Activity::compute;
    RoleId role = 0;
    std::int64_t step = 0;
    std::int64_t version = 0;  ///< computed (accepted), reached (updated, cancelled)
    std::int64_t applied = 0;  ///< accepted; operation and part: its place among them
    std::int64_t begin_ps = 0;
    std::int64_t end_ps = 0;  ///< or the moment
    std::int64_t stamp_ps = 0;
    double loss = 0;
  };
  struct Operation {
    Stream stream;
    Command command;
  };
  struct Events {
    std::vector<Event> events;
    std::vector<Operation> operations;
  };

  /// \param loss_bound       a mini-batch's loss above it is the end: throws Diverged
  /// \param keeps_operations whether a trace is wanted: everything that ran on a stream, in parts
  EventLog(const TimeSource& time, std::optional<double> loss_bound, bool keeps_operations);

  void begun(RoleId worker, std::int64_t step, Instant at) override;
  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  void gradient_computed(WorkId work, Instant at, double loss) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;
  void died(RoleId worker, Instant at) override;
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override;
  bool wants_parts() const override { return keeps_operations_; }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override;

  /// The stamp that a message carries which is sent now.
  std::int64_t stamp();
  /// From any thread: a message with this stamp has come.
  void follow(std::int64_t stamp_ps);

  /// Our clock has gone wrong by `drift_ns` between 0 and `until`: corrects all times. Stamps stay:
  /// messages have carried them to others.
  void correct(std::int64_t drift_ns, Instant until);
  const Events& events() const { return events_; }

 private:
  void add(Event event);
  void add(Event::Kind kind, Stream stream, const Command& command, Instant begin, Instant end);

  const TimeSource& time_;
  std::optional<double> loss_bound_;
  bool keeps_operations_;
  std::atomic<std::int64_t> heard_ps_{0};  ///< the latest stamp that came from elsewhere
  std::int64_t last_ps_ = 0;
  Events events_;
};

/// Tells `observer` what the logs of all processes hold, in the order of their stamps; of equal
/// ones, that of the lower process first.
void replay(std::span<const EventLog::Events> logs, Observer& observer);

}  // namespace paceline
