// SPDX-License-Identifier: MIT
/// \file
/// Whether the ranks of a schedule of teams can be worked out apart although they share links.
///
/// **A link that is never full.** A rank's copies follow each other, so that a link carries at most
/// one of each rank that sends over it. If it has the capacity for one of each, at the rates that
/// they have alone, no copy is slower for it: an uplink of a leaf, which all rails cross.
///
/// **A link that could be full** if copies of several ranks met, such as that from an NVSwitch to a
/// GPU which gets its children's sums in turn. The times without sharing are right if no two of
/// these copies are on their way at once in them: the first time at which they would be others is
/// that of the first meeting. So the times are worked out once to see, and events are needed only
/// if copies meet.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/lanes/lane_links.hpp"
#include "topology/machine.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {

class SharedLinks {
 public:
  /// \param vertices by rank. All must outlive this.
  SharedLinks(const Machine& machine, const std::vector<int>& vertices, LaneLinks& links)
      : machine_(machine), vertices_(vertices), links_(links) {}

  /// Whether only links can be full over which single steps of a team go (ScheduleCosts::watch).
  bool suits(const Phases& schedule);
  /// Whether some link could be full.
  bool could_be_full() const { return !crowded_.empty(); }
  /// Whether the ranks that could fill a link are of one block of as many lanes.
  bool within_blocks(int lanes) const;

  /// Notes a copy.
  void note(int from, int to, std::int64_t begin_ps, std::int64_t end_ps);
  /// Whether noted copies have met.
  bool met() const { return met_; }

 private:
  /// The ranks that send over a link.
  struct Users {
    int last = -1;
    double last_rate = 0;
    int least = 0, most = 0;  ///< ranks
    double rates = 0;         ///< of all, alone
    bool at_once = false;     ///< steps of a team are taken at once that go over it
    std::map<std::int64_t, std::int64_t> busy_ps;  ///< ends by begins
  };
  struct First {
    int rank = -1;
    float rate = 0;
    bool at_once = false;
    bool of_several = false;
  };
  void add(const Team& team);
  void add(int from, int to, bool at_once);
  void keep_crowded();

  const Machine& machine_;
  const std::vector<int>& vertices_;
  LaneLinks& links_;
  std::vector<First> first_;                ///< by link, while users are added
  std::unordered_map<int, Users> crowded_;  ///< by link: those with several, then that can be full
  bool met_ = false;
};

}  // namespace paceline
