// SPDX-License-Identifier: MIT
/// \file
/// The simulated time and its agenda. Devices schedule events here; SimulatedMachine takes them out
/// in their order and passes each to the device that it is for.
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

class Timeline {
 public:
  Instant now() const { return now_; }
  void move_to(std::int64_t at_ps) { now_.ps = at_ps; }
  /// So much later than now; saturates at the end of the clock.
  std::int64_t in_ps(std::int64_t length_ps) const { return later_ps(now_.ps, length_ps); }

  void push(EventKind kind, std::int64_t at_ps, std::uint32_t subject,
            std::uint32_t generation = 0) {
    agenda_.push(at_ps, static_cast<std::uint8_t>(kind), subject, generation);
  }
  /// The same, for events that mostly come in the order of their times.
  void push_in_lane(int lane, EventKind kind, std::int64_t at_ps, std::uint32_t subject,
                    std::uint32_t generation = 0) {
    agenda_.push_in_lane(lane, at_ps, static_cast<std::uint8_t>(kind), subject, generation);
  }
  bool empty() const { return agenda_.empty(); }
  /// Requires that there is one.
  std::int64_t next_ps() const { return agenda_.top().time_ps; }
  Event pop() { return agenda_.pop(); }

 private:
  Instant now_;
  EventQueue agenda_;
};

}  // namespace paceline
