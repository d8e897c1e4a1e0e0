// SPDX-License-Identifier: MIT
/// \file
/// The costs of a collective schedule on a machine.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "training/runtime/instant.hpp"

namespace paceline {

/// The route from one rank to another.
struct ScheduleLink {
  std::int64_t latency_ps = 0;
  double per_byte = 0;  ///< units of flow; 0: copies take no time
  double rate = 1;      ///< units per second of a flow that has the route to itself
  friend bool operator==(const ScheduleLink&, const ScheduleLink&) = default;
};

struct ScheduleCosts {
  std::function<ScheduleLink(int from, int to)> link;
  std::vector<double> sum;       ///< by rank: seconds per byte that is added
  std::int64_t decision_ps = 0;  ///< from an event to the host's answer
  /// Equal ranks are one, and equal steps are taken at once; else every copy is worked out.
  bool folds = true;
  /// Called with each copy of the steps that are worked out one by one, and with the time in which
  /// its bytes travel; may be empty.
  std::function<void(int from, int to, std::int64_t begin_ps, std::int64_t end_ps)> watch;

  /// Picoseconds of the bytes on the way, after the latency.
  static std::int64_t flow_ps(const ScheduleLink& link, double bytes);
  std::int64_t sum_ps(std::size_t rank, double bytes) const;
  /// Where the host goes on that has come to `host` and awaits a send: there if the send was over,
  /// else a decision after its end. An end at the instant of the host's last answer is later than
  /// that, unless its flow `began` before the event that the answer was to.
  std::int64_t host_after(std::int64_t host, std::int64_t sent, std::int64_t began) const {
    const bool over = sent < host || (sent == host && began < host - decision_ps);
    return over ? host : later_ps(sent, decision_ps);
  }
};

}  // namespace paceline
