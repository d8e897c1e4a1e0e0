// SPDX-License-Identifier: MIT
/// \file
/// The links of a schedule between vertices of a machine, where each rank has its own, or where all
/// ranks send at the same instants and get equal shares of the links.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

  /// The route of a copy that has it to itself, or its share where all ranks send together.
  const ScheduleLink& link(int from, int to);
  /// Whether no link is used by two ranks that send, so that a rank's copies have it to themselves
  /// one after the other.
  bool suits(const CollectiveSchedule& schedule);
  /// The links that ranks send over, of a schedule that suits; and which ranks send over one of
  /// these.
  std::vector<bool> used() const;
  std::vector<bool> ranks_on(const std::vector<bool>& links) const;
  /// Whether copies that all ranks send at the same instants run alike, so that they also end at
  /// the same instants. From then on `link` gives their shares.
  bool suits_together(const CollectiveSchedule& schedule);

 private:
  static constexpr int kNone = -1;
  ScheduleLink link_of(const Route& route) const;
  std::optional<ScheduleLink> share_of_all(int shift) const;
  int ranks() const { return static_cast<int>(vertices_.size()); }
  bool alone(int from, int to);
  bool alone_in(const CollectiveSchedule& schedule, const std::function<int(int member)>& rank_of);

  const Machine& machine_;
  const std::vector<int>& vertices_;
  std::vector<int> users_;              ///< by link: the rank that sends over it
  std::map<int, ScheduleLink> shares_;  ///< by shift, where all ranks send together
  std::unordered_map<std::uint64_t, ScheduleLink> known_;  ///< by Machine::route_class
};

}  // namespace paceline
