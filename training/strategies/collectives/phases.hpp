// SPDX-License-Identifier: MIT
/// \file
/// A schedule of phases that follow each other, each carried out by teams of ranks side by side:
/// the rows of a torus, then its columns; the nodes of a cluster, then their first ranks.
#pragma once
#include <vector>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Ranks that carry out a schedule of their own on a range of parts of the whole slice: each part
/// of theirs is `scale` parts of the whole, the first of them at `first`.
struct Team {
  int first_place = 0;
  int stride = 1;  ///< from a place of the team to the next
  int size = 0;
  /// \param member the rank within the team
  int rank(int member) const {
    const int place = first_place + member * stride;
    return order ? (*order)[static_cast<std::size_t>(place)] : place;
  }
  SharedSchedule schedule;
  std::int32_t first = 0;
  std::int32_t scale = 1;
  SharedOrder order{};  ///< the rank at each place; null: rank r is at place r
};

class Phases : public CollectiveSchedule {
 public:
  struct Membership {
    std::int32_t team = -1;
    std::int32_t rank = 0;  ///< within the team
  };
  struct Phase {
    std::vector<Team> teams;
    std::vector<Membership> memberships;  ///< by rank
    int first_step = 0;
    std::int32_t first_landing = 0;
  };

  /// \param phases the teams of each; a rank is in one team of a phase at most
  Phases(int ranks, std::int32_t parts, std::vector<std::vector<Team>> phases);

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return parts_; }
  std::int32_t landings() const override { return landings_; }
  int steps() const override { return steps_; }
  ScheduleStep at(int rank, int step, int slice) const override;
  const Phases* phases() const override { return this; }

  const std::vector<Phase>& all() const { return phases_; }
  /// The step after the last of a phase.
  int end_of(std::size_t phase) const {
    return phase + 1 < phases_.size() ? phases_[phase + 1].first_step : steps_;
  }

 private:
  int ranks_;
  std::int32_t parts_;
  std::int32_t landings_ = 0;
  int steps_ = 0;
  std::vector<Phase> phases_;
};

}  // namespace paceline
