// SPDX-License-Identifier: MIT
/// \file
/// Decides whether the times of a schedule's ranks can be worked out independently although the
/// ranks share links.
///
/// **A link that is never full.** A rank's copies follow each other, so a link carries at most one
/// copy of each rank that sends over it. If the link has the capacity for one of each at the rates
/// that they have alone, sharing makes no copy slower. An example is the uplink of a leaf that all
/// rails cross.
///
/// **A link that could be full** if copies of several ranks met. An example is the link from an
/// NVSwitch to a GPU that gets its children's sums in turn. The times without sharing are correct
/// if no two of these copies overlap in them, since sharing changes nothing before the first
/// overlap. So the times are first worked out without sharing, and events are needed only if copies
/// overlap.
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

  /// Notes the links of a schedule. True if ScheduleCosts::watch sees all copies over links that
  /// could be full.
  bool suits(const Phases& schedule);
  /// Whether some link could be full.
  bool could_be_full() const { return !crowded_.empty(); }
  /// Whether the ranks that could fill a link are in one block of `lanes` ranks, for each link.
  bool within_blocks(int lanes) const;

  /// Notes a copy over its links. The bytes travel from `begin_ps` to `end_ps`.
  void note(int from, int to, std::int64_t begin_ps, std::int64_t end_ps);
  /// Whether noted copies overlap on a link that could be full.
  bool met() const { return met_; }

 private:
  /// The ranks that send over a link.
  struct Users {
    int last = -1;
    double last_rate = 0;
    int least = 0, most = 0;  ///< ranks
    double rates = 0;         ///< sum of the ranks' rates alone
    bool at_once = false;     ///< steps over it are worked out at once, and not watched
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
  std::vector<First> first_;  ///< by link, while users are added
  /// By link: the links of several ranks; after suits(), those of them that could be full.
  std::unordered_map<int, Users> crowded_;
  bool met_ = false;
};

}  // namespace paceline
