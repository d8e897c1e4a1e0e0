// SPDX-License-Identifier: MIT
/// \file
/// The links of a schedule between vertices of a machine, where each rank has its own.
#pragma once
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/ahead/schedule_costs.hpp"
#include "topology/machine.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

class LaneLinks {
 public:
  /// \param vertices by rank. Both must outlive this.
  LaneLinks(const Machine& machine, const std::vector<int>& vertices)
      : machine_(machine), vertices_(vertices), users_(machine.links().size(), kNone) {}

  /// The route of a copy that has it to itself.
  const ScheduleLink& link(int from, int to);
  /// Whether no link is used by two ranks that send, so that a rank's copies have it to themselves
  /// one after the other.
  bool suits(const CollectiveSchedule& schedule);

 private:
  static constexpr int kNone = -1;
  ScheduleLink link_of(const Route& route) const;
  bool alone(int from, int to);
  bool alone_in(const CollectiveSchedule& schedule, const std::function<int(int member)>& rank_of);

  const Machine& machine_;
  const std::vector<int>& vertices_;
  std::vector<int> users_;                                 ///< by link: the rank that sends over it
  std::unordered_map<std::uint64_t, ScheduleLink> known_;  ///< by Machine::route_class
};

}  // namespace paceline
