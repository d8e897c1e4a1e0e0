// SPDX-License-Identifier: MIT
#include "sim/lanes/shared_links.hpp"

#include <algorithm>
#include <iterator>

#include "sim/ahead/uniform_times.hpp"

namespace paceline {
namespace {

// Share of the capacity below which a link is not full: rates are sums of rounded numbers.
constexpr double kNotFull = 1 - 1e-5;

/// Whether two phases have the same teams, and every rank sends to the next one in both.
bool same_routes(const Phases::Phase& a, const Phases::Phase& b) {
  const auto ring = [](const CollectiveSchedule& schedule) {
    if (!UniformTimes::suits(schedule)) return false;
    for (int step = 0; step < schedule.steps(); ++step) {
      if (schedule.uniform(step)->shift != 1) return false;
    }
    return true;
  };
  const auto same = [&](const Team& one, const Team& other) {
    return one.first_place == other.first_place && one.stride == other.stride &&
           one.size == other.size && one.order == other.order;
  };
  return ring(*a.teams.front().schedule) && ring(*b.teams.front().schedule) &&
         std::ranges::equal(a.teams, b.teams, same);
}

}  // namespace

bool SharedLinks::suits(const Phases& schedule) {
  first_.assign(machine_.links().size(), {});
  const std::vector<Phases::Phase>& all = schedule.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const Phases::Phase& earlier) { return same_routes(earlier, all[i]); };
    if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    for (const Team& team : all[i].teams) add(team);
  }
  first_ = {};
  keep_crowded();
  const bool all_seen =
      std::ranges::none_of(crowded_, [](const auto& link) { return link.second.at_once; });
  if (!all_seen) crowded_.clear();
  return all_seen;
}

void SharedLinks::add(const Team& team) {
  const CollectiveSchedule& schedule = *team.schedule;
  const bool at_once = UniformTimes::suits(schedule);
  for (int step = 0, shift = 0; step < schedule.steps(); ++step) {
    if (at_once && schedule.uniform(step)->shift == shift)
      continue;  // the routes of the step before
    if (at_once) shift = schedule.uniform(step)->shift;
    for (int member = 0; member < team.size; ++member) {
      const int to = at_once ? (member + shift) % team.size : schedule.at(member, step, 0).to;
      if (to >= 0) add(team.rank(member), team.rank(to), at_once);
    }
  }
}

void SharedLinks::add(int from, int to, bool at_once) {
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  if (a == b) return;
  const double rate = links_.link(from, to).rate;
  const std::vector<int> links = machine_.route(a, b).links();
  for (const int link : links) {  // a route may cross a link twice
    First& first = first_[static_cast<std::size_t>(link)];
    const double used = rate * static_cast<double>(std::ranges::count(links, link));
    if (first.rank < 0) first.rank = from;
    if (first.rank == from && !first.of_several) {
      first.rate = std::max(first.rate, static_cast<float>(used));
      first.at_once = first.at_once || at_once;
      continue;
    }
    Users& users = crowded_[link];
    if (!first.of_several) {
      users.last = users.least = users.most = first.rank;
      users.rates = users.last_rate = static_cast<double>(first.rate);
      users.at_once = first.at_once;
      first.of_several = true;
    }
    // a rank that comes back after others counts again: never too little
    if (users.last != from) users.last_rate = 0;
    users.rates += std::max(0.0, used - users.last_rate);
    users.last_rate = std::max(users.last_rate, used);
    users.last = from;
    users.least = std::min(users.least, from);
    users.most = std::max(users.most, from);
    users.at_once = users.at_once || at_once;
  }
}

/// Removes the links that are never full.
void SharedLinks::keep_crowded() {
  std::erase_if(crowded_, [this](const auto& link) {
    return link.second.rates <= kNotFull * machine_.figures(link.first).capacity.value();
  });
}

bool SharedLinks::within_blocks(int lanes) const {
  return std::ranges::all_of(crowded_, [lanes](const auto& link) {
    return link.second.least / lanes == link.second.most / lanes;
  });
}

void SharedLinks::note(int from, int to, std::int64_t begin_ps, std::int64_t end_ps) {
  if (met_) return;
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  for (const int link : machine_.route(a, b).links()) {
    const auto known = crowded_.find(link);
    if (known == crowded_.end()) continue;
    std::map<std::int64_t, std::int64_t>& busy = known->second.busy_ps;
    const auto next = busy.lower_bound(begin_ps);
    const bool meets_next = next != busy.end() && next->first <= end_ps;
    const bool meets_last = next != busy.begin() && std::prev(next)->second >= begin_ps;
    met_ = met_ || meets_next || meets_last;
    busy.emplace_hint(next, begin_ps, end_ps);
  }
}

}  // namespace paceline
