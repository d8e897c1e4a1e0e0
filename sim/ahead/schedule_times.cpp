// SPDX-License-Identifier: MIT
#include "sim/ahead/schedule_times.hpp"

#include <algorithm>

#include "training/runtime/instant.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {
namespace {

/// Actions that are kept from call to call, 28 bytes each.
constexpr std::int64_t kMostActions = std::int64_t{1} << 24;

std::int64_t at(const std::vector<std::int64_t>& times, int rank) {
  return times[static_cast<std::size_t>(rank)];
}

}  // namespace

/// A team that does the same in each step, on its own links.
struct ScheduleTimes::TeamTimes {
  TeamTimes(const Team& team, const ScheduleCosts& all, std::size_t lanes)
      : times(*team.schedule, costs), clocks(0) {
    costs.decision_ps = all.decision_ps;
    costs.folds = all.folds;
    costs.link = [&all, &team](int from, int to) {
      return all.link(team.rank(from), team.rank(to));
    };
    for (int member = 0; member < team.size; ++member) {
      const int rank = team.rank(member);
      costs.sum.push_back(all.sum[static_cast<std::size_t>(rank)]);
      if (static_cast<std::size_t>(rank) < lanes) ranks.push_back(rank);
    }
  }
  ScheduleCosts costs;
  UniformTimes times;
  std::vector<int> ranks;  ///< that have clocks of their own
  RankClocks clocks;
};

ScheduleTimes::ScheduleTimes(const CollectiveSchedule& schedule, const ScheduleCosts& costs)
    : schedule_(schedule), costs_(costs), size_(static_cast<std::size_t>(schedule.ranks())) {
  if (UniformTimes::suits(schedule)) equal_steps_ = std::make_unique<UniformTimes>(schedule, costs);
}

ScheduleTimes::~ScheduleTimes() = default;

void ScheduleTimes::carry_out(double part, RankClocks& ranks) {
  std::ranges::fill(ranks.unread, 1);
  ranks.queued.clear(ranks.size());
  if (equal_steps_) {
    equal_steps_->carry_out(part, ranks);
    copies_ += static_cast<std::int64_t>(size_) * schedule_.steps();
    return;
  }
  const std::int64_t before = copies_;
  const Phases* const phases = schedule_.phases();
  if (phases == nullptr) {
    carry_out_steps(0, schedule_.steps(), part, ranks);
  } else {
    for (std::size_t phase = 0; phase < phases->all().size(); ++phase) {
      if (takes_whole_teams(phase)) {
        carry_out_teams(phases->all()[phase].teams, part, ranks);
      } else {
        carry_out_steps(phases->all()[phase].first_step, phases->end_of(phase), part, ranks);
      }
    }
  }
  // ranks with clocks of their own stand for equally many
  copies_ = before + (copies_ - before) * static_cast<std::int64_t>(size_ / ranks.size());
}

/// Whether the teams of a phase do the same in each step.
bool ScheduleTimes::takes_whole_teams(std::size_t phase) const {
  const std::vector<Team>& teams = schedule_.phases()->all()[phase].teams;
  return std::ranges::all_of(teams, [last = static_cast<const CollectiveSchedule*>(nullptr),
                                     suits = false](const Team& team) mutable {
    if (last != team.schedule.get()) {
      last = team.schedule.get();
      suits = last->steps() == 0 || UniformTimes::suits(*last);
    }
    return suits;
  });
}

void ScheduleTimes::carry_out_teams(const std::vector<Team>& teams, double part,
                                    RankClocks& ranks) {
  for (const Team& team : teams) {
    if (team.schedule->steps() == 0) continue;
    std::unique_ptr<TeamTimes>& times = teams_[&team];
    if (times == nullptr) times = std::make_unique<TeamTimes>(team, costs_, ranks.size());
    if (times->ranks.empty()) continue;  // another team stands for it
    times->clocks.gather(ranks, times->ranks);
    times->times.carry_out(part * team.scale, times->clocks);
    times->clocks.scatter(ranks, times->ranks);
    copies_ += static_cast<std::int64_t>(times->ranks.size()) * team.schedule->steps();
  }
}

/// The step of every rank that does something in it.
const std::vector<ScheduleTimes::Action>& ScheduleTimes::actions_of(int step, std::size_t ranks) {
  const bool keeps = kept_ <= kMostActions;
  const std::size_t place = keeps ? static_cast<std::size_t>(step) : 0;
  if (actions_.size() <= place) actions_.resize(place + 1);
  std::vector<Action>& actions = actions_[place];
  if (keeps && !actions.empty()) return actions;
  actions.clear();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const ScheduleStep step_of_rank = schedule_.at(static_cast<int>(rank), step, 0);
    const bool late = step_of_rank.arrival == Arrival::is_added;
    if (step_of_rank.to < 0 && step_of_rank.from < 0 && !late) continue;
    Action& action = actions.emplace_back();
    action.rank = static_cast<std::int32_t>(rank);
    action.to = step_of_rank.to;
    action.from = step_of_rank.from;
    action.out = step_of_rank.out.last - step_of_rank.out.first;
    action.in = step_of_rank.in.last - step_of_rank.in.first;
    action.arrival = step_of_rank.arrival;
    if (action.to >= 0) action.link = link_of(action.rank, action.to);
  }
  kept_ += static_cast<std::int64_t>(actions.size());
  return actions;
}

std::uint32_t ScheduleTimes::link_of(int from, int to) {
  const ScheduleLink link = costs_.link(from, to);
  // links of a machine are of few kinds, and those beside each other often of one
  const auto known = std::ranges::find(links_, link);
  if (known != links_.end()) return static_cast<std::uint32_t>(known - links_.begin());
  links_.push_back(link);
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void ScheduleTimes::carry_out_steps(int begin, int end, double part, RankClocks& ranks) {
  ends_.resize(ranks.size());
  begins_.resize(ranks.size());
  for (int step = begin; step < end; ++step) {
    const std::vector<Action>& actions = actions_of(step, ranks.size());
    for (const Action& action : actions) {
      if (action.to >= 0) send(action, part, ranks);
    }
    for (const Action& action : actions) receive(action, part, ranks);
  }
}

void ScheduleTimes::send(const Action& action, double part, RankClocks& ranks) {
  const auto rank = static_cast<std::size_t>(action.rank);
  const ScheduleLink& link = links_[action.link];
  const std::int64_t begin = std::max({ranks.stream[rank], ranks.last[rank], ranks.host[rank]});
  begins_[rank] = later_ps(begin, link.latency_ps);
  ends_[rank] = later_ps(begins_[rank], ScheduleCosts::flow_ps(link, part * action.out));
  ranks.stream[rank] = ranks.sent[rank] = ends_[rank];
  ranks.unread[rank] = 0;
  ++copies_;
  if (costs_.watch) costs_.watch(action.rank, action.to, begins_[rank], ends_[rank]);
}

void ScheduleTimes::receive(const Action& action, double part, RankClocks& ranks) {
  const auto rank = static_cast<std::size_t>(action.rank);
  std::int64_t& stream = ranks.stream[rank];
  std::int64_t& last = ranks.last[rank];
  const bool late = action.arrival == Arrival::is_added;
  if (action.from < 0 && !late) return note_queued(rank, ranks);
  const std::int64_t arrived = action.from >= 0 ? at(ends_, action.from) : last;
  if (action.arrival == Arrival::adds || action.from < 0) {
    const std::int64_t before = ranks.unread[rank] != 0 ? last : 0;
    const std::int64_t begin = std::max({stream, arrived, before, ranks.host[rank]});
    stream = last = later_ps(begin, costs_.sum_ps(rank, part * action.in));
    ranks.unread[rank] = 0;
  } else {
    if (ranks.unread[rank] != 0 && last >= ranks.host[rank]) {
      stream = ranks.sent[rank] = std::max({stream, last, ranks.sent[rank], ranks.host[rank]});
    }
    last = arrived;
    ranks.unread[rank] = 1;
  }
  note_queued(rank, ranks);
}

/// The host queues the next step once the send of four steps before is over.
void ScheduleTimes::note_queued(std::size_t rank, RankClocks& ranks) {
  std::int64_t& host = ranks.host[rank];
  host = ranks.queued.queue(rank, ranks.sent[rank], begins_[rank], host, costs_);
}

}  // namespace paceline
