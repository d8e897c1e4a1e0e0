// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/phases.hpp"

#include <algorithm>

namespace paceline {

Phases::Phases(int ranks, std::int32_t parts, std::vector<std::vector<Team>> phases)
    : ranks_(ranks), parts_(parts) {
  for (std::vector<Team>& teams : phases) {
    Phase& phase = phases_.emplace_back();
    phase.first_step = steps_;
    phase.first_landing = landings_;
    phase.memberships.resize(static_cast<std::size_t>(ranks));
    int steps = 0;
    std::int32_t landings = 0;
    for (std::size_t team = 0; team < teams.size(); ++team) {
      const Team& one = teams[team];
      for (int member = 0; member < one.size; ++member) {
        phase.memberships[static_cast<std::size_t>(one.rank(member))] = {
            static_cast<std::int32_t>(team), member};
      }
      steps = std::max(steps, one.schedule->steps());
      landings = std::max(landings, one.schedule->landings() * one.scale);
    }
    phase.teams = std::move(teams);
    steps_ += steps;
    landings_ += landings;
  }
}

ScheduleStep Phases::at(int rank, int step, int slice) const {
  const auto next = std::find_if(phases_.begin() + 1, phases_.end(),
                                 [step](const Phase& phase) { return phase.first_step > step; });
  const Phase& phase = *(next - 1);
  const Membership& mine = phase.memberships[static_cast<std::size_t>(rank)];
  if (mine.team < 0) return {};
  const Team& team = phase.teams[static_cast<std::size_t>(mine.team)];
  step -= phase.first_step;
  if (step >= team.schedule->steps()) return {};
  ScheduleStep transfer = team.schedule->at(mine.rank, step, slice);
  const auto rank_of = [&team](int member) { return member < 0 ? -1 : team.rank(member); };
  const auto parts_of = [&team](const Parts& parts) {
    return Parts{team.first + parts.first * team.scale, team.first + parts.last * team.scale};
  };
  transfer.to = rank_of(transfer.to);
  transfer.from = rank_of(transfer.from);
  transfer.out = parts_of(transfer.out);
  transfer.in = parts_of(transfer.in);
  transfer.landing = phase.first_landing + transfer.landing * team.scale;
  return transfer;
}

}  // namespace paceline
