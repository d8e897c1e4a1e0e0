// SPDX-License-Identifier: MIT
#include "exec/processes/event_log.hpp"

#include <algorithm>
#include <string>

#include "training/results/metrics/recorder.hpp"

namespace paceline {

EventLog::EventLog(const TimeSource& time, std::optional<double> loss_bound, bool keeps_operations)
    : time_(time), loss_bound_(loss_bound), keeps_operations_(keeps_operations) {}

std::int64_t EventLog::stamp() {
  const std::int64_t received = received_ps_.load(std::memory_order_acquire);
  last_ps_ = std::max({last_ps_, received, time_.now().ps});
  return last_ps_;
}

void EventLog::follow(std::int64_t stamp_ps) {
  std::int64_t received = received_ps_.load(std::memory_order_relaxed);
  while (received <= stamp_ps && !received_ps_.compare_exchange_weak(received, stamp_ps + 1)) {
  }
}

void EventLog::add(Event event) {
  event.stamp_ps = stamp();
  events_.events.push_back(event);
}

void EventLog::begun(RoleId worker, std::int64_t step, Instant at) {
  Event event;
  event.kind = Event::Kind::begun;
  event.role = worker;
  event.step = step;
  event.end_ps = at.ps;
  add(event);
}

void EventLog::span(WorkId work, Activity activity, Instant begin, Instant end) {
  Event event;
  event.kind = Event::Kind::span;
  event.activity = activity;
  event.role = work.worker;
  event.step = work.step;
  event.begin_ps = begin.ps;
  event.end_ps = end.ps;
  add(event);
}

void EventLog::gradient_computed(WorkId work, Instant at, double loss) {
  Event event;
  event.kind = Event::Kind::gradient_computed;
  event.role = work.worker;
  event.step = work.step;
  event.end_ps = at.ps;
  event.loss = loss;
  add(event);
  // the replay knows at which update
  if (loss_bound_ && !(loss <= *loss_bound_)) throw Diverged("diverged");
}

void EventLog::accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                        std::int64_t applied) {
  Event event;
  event.kind = Event::Kind::accepted;
  event.role = worker;
  event.step = step;
  event.version = computed;
  event.applied = applied;
  add(event);
}

void EventLog::cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) {
  Event event;
  event.kind = Event::Kind::cancelled;
  event.role = worker;
  event.step = step;
  event.version = version;
  event.end_ps = at.ps;
  add(event);
}

void EventLog::updated(RoleId role, std::int64_t version, Instant at) {
  Event event;
  event.kind = Event::Kind::updated;
  event.role = role;
  event.version = version;
  event.end_ps = at.ps;
  add(event);
}

void EventLog::died(RoleId worker, Instant at) {
  Event event;
  event.kind = Event::Kind::died;
  event.role = worker;
  event.end_ps = at.ps;
  add(event);
}

void EventLog::operation(Stream stream, const Command& command, Instant begin, Instant end) {
  if (keeps_operations_) add(Event::Kind::operation, stream, command, begin, end);
}

void EventLog::part(WorkId work, LayerRange layers, Instant begin, Instant end) {
  Command command;
  command.work = work;
  command.what = Command::Compute{layers};
  add(Event::Kind::part, {work.worker, StreamKind::compute}, command, begin, end);
}

void EventLog::add(Event::Kind kind, Stream stream, const Command& command, Instant begin,
                   Instant end) {
  Event event;
  event.kind = kind;
  event.applied = static_cast<std::int64_t>(events_.operations.size());
  event.begin_ps = begin.ps;
  event.end_ps = end.ps;
  events_.operations.push_back({stream, command});
  add(event);
}

void EventLog::correct(std::int64_t drift_ns, Instant until) {
  if (until.ps <= 0) return;
  const double share = static_cast<double>(drift_ns) * 1000 / static_cast<double>(until.ps);
  const auto corrected = [share](std::int64_t& ps) {
    ps += static_cast<std::int64_t>(share * static_cast<double>(ps));
  };
  for (Event& event : events_.events) {
    corrected(event.begin_ps);
    corrected(event.end_ps);
  }
}

namespace {

void replay_event(const EventLog::Event& event, const EventLog::Events& log, Observer& observer) {
  using Kind = EventLog::Event::Kind;
  const Instant begin{event.begin_ps};
  const Instant end{event.end_ps};
  switch (event.kind) {
    case Kind::begun:
      return observer.begun(event.role, event.step, end);
    case Kind::span:
      return observer.span({event.role, event.step}, event.activity, begin, end);
    case Kind::gradient_computed:
      return observer.gradient_computed({event.role, event.step}, end, event.loss);
    case Kind::accepted:
      return observer.accepted(event.role, event.step, event.version, event.applied);
    case Kind::cancelled:
      return observer.cancelled(event.role, event.step, event.version, end);
    case Kind::updated:
      return observer.updated(event.role, event.version, end);
    case Kind::died:
      return observer.died(event.role, end);
    case Kind::operation: {
      const auto& operation = log.operations.at(static_cast<std::size_t>(event.applied));
      return observer.operation(operation.stream, operation.command, begin, end);
    }
    case Kind::part: {
      const Command& command = log.operations.at(static_cast<std::size_t>(event.applied)).command;
      if (const auto* compute = command.as<Command::Compute>()) {
        observer.part(command.work, compute->layers, begin, end);
      }
      return;
    }
  }
}

}  // namespace

void replay(std::span<const EventLog::Events> logs, Observer& observer) {
  struct Entry {
    const EventLog::Event* event;
    const EventLog::Events* log;
  };
  std::vector<Entry> entries;
  for (const EventLog::Events& log : logs) {
    for (const EventLog::Event& event : log.events) entries.push_back({&event, &log});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.event->stamp_ps < b.event->stamp_ps;
  });
  for (const Entry& entry : entries) replay_event(*entry.event, *entry.log, observer);
}

}  // namespace paceline
