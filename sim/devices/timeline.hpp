// SPDX-License-Identifier: MIT
/// \file
/// The simulated time and its agenda. Devices schedule events here; the shared machine takes them
/// out in their order and passes each to its job.
#pragma once
#include <cstdint>

#include "sim/engine/event_queue.hpp"
#include "training/runtime/instant.hpp"

namespace paceline {

/// The index of an operation in the operation graph.
using OpIndex = std::uint32_t;

enum class EventKind : std::uint8_t {
  timer,             ///< of an operation: what it does takes no longer
  work_start,        ///< of an operation: its start latency is over
  transfer_start,    ///< of an operation: the latency of its route is over
  hand_over,         ///< of an operation: the host thread passes it to its device
  flow_end,          ///< of a class of flows
  decision,          ///< of a role: the host has decided, the role goes on
  collective_start,  ///< of a collective: its launch is over
  message            ///< of a message between processes: it arrives
};

/// The clock of all jobs on a machine, and the events to come.
struct Agenda {
  Instant now;
  EventQueue events;
};

/// The agenda as the devices of one job see it. An event and a flow carry the number of their job.
class Timeline {
 public:
  static constexpr unsigned kMostJobs = 32;

  Timeline(Agenda& agenda, unsigned job) : agenda_(agenda), job_(job) {}

  Instant now() const { return agenda_.now; }
  /// So much later than now; saturates at the end of the clock.
  std::int64_t in_ps(std::int64_t length_ps) const { return later_ps(now().ps, length_ps); }

  void push(EventKind kind, std::int64_t at_ps, std::uint32_t subject,
            std::uint32_t generation = 0) {
    agenda_.events.push(at_ps, what(kind), subject, generation);
  }
  /// The same, for events that mostly come in the order of their times.
  void push_in_lane(int lane, EventKind kind, std::int64_t at_ps, std::uint32_t subject,
                    std::uint32_t generation = 0) {
    agenda_.events.push_in_lane(lane, at_ps, what(kind), subject, generation);
  }
  static EventKind kind_of(const Event& event) {
    return static_cast<EventKind>(event.what() & (kKinds - 1));
  }
  static unsigned job_of(const Event& event) { return event.what() / kKinds; }

  /// The payload of a flow: a number of the job's own. Where there are several jobs it is below
  /// 2^26, but for its highest bit.
  std::uint32_t flow(std::uint32_t number) const { return number | job_ << kFlowBits; }
  static unsigned job_of_flow(std::uint32_t flow) { return flow >> kFlowBits & (kMostJobs - 1); }
  static std::uint32_t without_job(std::uint32_t flow) {
    return flow & ~((kMostJobs - 1) << kFlowBits);
  }

 private:
  static constexpr unsigned kKinds = 8;  ///< that an event's byte has place for, beside the job
  static constexpr unsigned kFlowBits = 26;
  std::uint8_t what(EventKind kind) const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) + kKinds * job_);
  }

  Agenda& agenda_;
  unsigned job_;
};

}  // namespace paceline
