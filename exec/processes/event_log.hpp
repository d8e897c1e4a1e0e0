// SPDX-License-Identifier: MIT
/// \file
/// The events of a repeat on one process, as plain data. Process 0 receives the logs of all, merges
/// them in one order and replays them to its observers.
///
/// **The order.** Every event has a stamp on the common clock, not below the stamp of the event
/// before it or of the message that caused it, from any process (a hybrid logical clock: Kulkarni
/// et al., OPODIS 2014). So no effect of a message precedes its sending, however far the clocks of
/// two computers are apart. Stamps serve the order only.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/machine/time_source.hpp"
#include "training/runtime/observer.hpp"

namespace paceline {

class EventLog final : public Observer {
 public:
  /// Plain data; `kind` says which fields are in use.
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
    std::int64_t applied = 0;  ///< accepted; index of an operation or part
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

  /// \param loss_bound       a mini-batch's loss above it throws Diverged
  /// \param keeps_operations whether to log all operations of streams, and their parts
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
  bool observes_parts() const override { return keeps_operations_; }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override;

  /// The stamp for a message that is sent now.
  std::int64_t stamp();
  /// From any thread: a message with this stamp was received.
  void follow(std::int64_t stamp_ps);

  /// Corrects all times for a clock that drifted by `drift_ns` between 0 and `until`. Stamps stay:
  /// other processes have them from messages.
  void correct(std::int64_t drift_ns, Instant until);
  const Events& events() const { return events_; }

 private:
  void add(Event event);
  void add(Event::Kind kind, Stream stream, const Command& command, Instant begin, Instant end);

  const TimeSource& time_;
  std::optional<double> loss_bound_;
  bool keeps_operations_;
  std::atomic<std::int64_t> received_ps_{0};  ///< the latest stamp of a received message
  std::int64_t last_ps_ = 0;
  Events events_;
};

/// Replays the logs of all processes to `observer` in the order of their stamps, and of the ranks
/// where these are equal.
void replay(std::span<const EventLog::Events> logs, Observer& observer);

}  // namespace paceline
