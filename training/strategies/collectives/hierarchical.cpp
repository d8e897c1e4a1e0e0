// SPDX-License-Identifier: MIT
// Hierarchical all-reduce (as Goyal et al. 2017), groups of at most X ranks, Y of them, n bytes:
//   1. reduce along a binomial tree to the first rank of each group;
//   2. all-reduce among these;
//   3. broadcast along the tree.
// Steps: 2 ceil(log2 X) and those of 2. Bytes sent by a first rank: at most ceil(log2 X) n to its
// group and those of 2, of n, among the groups. Time: 2 ceil(log2 X)(alpha + n beta)
// + ceil(log2 X) n gamma, and that of 2.
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "training/strategies/collectives/phases.hpp"
#include "training/strategies/collectives/scheduled_all_reduce.hpp"
#include "training/strategies/grouping.hpp"

namespace paceline {
namespace {

/// A team of each group, all by one schedule for each size.
std::vector<Team> teams_of(const Grouping& groups, std::int32_t parts,
                           SharedSchedule (*make)(int ranks)) {
  std::map<int, SharedSchedule> by_size;
  std::vector<Team> teams;
  teams.reserve(static_cast<std::size_t>(groups.count()));
  for (int group = 0; group < groups.count(); ++group) {
    const int size = groups.size_of(group);
    SharedSchedule& schedule = by_size[size];
    if (schedule == nullptr) schedule = make(size);
    teams.push_back({.first_place = groups.begin_of(group),
                     .size = size,
                     .schedule = schedule,
                     .scale = parts,
                     .order = groups.order()});
  }
  return teams;
}

/// The first of each group: at equal distances, or listed.
Team first_of_each(const Grouping& groups, SharedSchedule schedule) {
  Team team{.stride = groups.largest(), .size = groups.count(), .schedule = std::move(schedule)};
  bool strided = true;
  for (int group = 0; group < groups.count(); ++group)
    strided = strided && groups.begin_of(group) == group * team.stride;
  if (strided) {
    team.order = groups.order();
    return team;
  }
  std::vector<int> firsts;
  for (int group = 0; group < groups.count(); ++group) firsts.push_back(groups.first_of(group));
  team.stride = 1;
  team.order = std::make_shared<const std::vector<int>>(std::move(firsts));
  return team;
}

}  // namespace

SharedSchedule hierarchical(const Grouping& groups, SharedSchedule (*among)(int ranks)) {
  const SharedSchedule sum = among(groups.count());
  const std::int32_t parts = sum->parts();
  return std::make_shared<Phases>(
      groups.workers(), parts,
      std::vector<std::vector<Team>>{teams_of(groups, parts, binomial_reduce),
                                     {first_of_each(groups, sum)},
                                     teams_of(groups, parts, binomial_broadcast)});
}

namespace {

/// The all-reduce among the first ranks of the groups.
enum class Among { ring, halving_doubling };

std::span<const EnumName<Among>> enum_names(const Among*) {
  static constexpr std::array<EnumName<Among>, 2> kNames{
      {{"ring", Among::ring}, {"halving-doubling", Among::halving_doubling}}};
  return kNames;
}

class Hierarchical final : public AllReduce {
 public:
  std::optional<int> group_key;
  Among among_key = Among::ring;
  int slices_key = 1;

  SharedSchedule schedule(const Plan& plan) const override {
    return hierarchical(group_key ? Grouping::by_host(plan, *group_key) : Grouping::by_host(plan),
                        among_key == Among::ring ? ring : halving_doubling);
  }
  int slices(double, int) const override { return slices_key; }
  static void describe(Description<Hierarchical>& d) {
    d.optional("group", &Hierarchical::group_key,
               "workers of a group, taken computer by computer; default: those of a computer or "
               "process, else all")
        .at_least(1);
    d.optional("among", &Hierarchical::among_key, "all-reduce among the groups' first workers");
    describe_slices(d);
  }
};

}  // namespace

Variant<AllReduce> hierarchical_all_reduce() {
  return variant<Hierarchical, AllReduce>(
      "hierarchical", "reduce in groups, all-reduce among the groups, broadcast");
}

}  // namespace paceline
