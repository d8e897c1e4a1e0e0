// SPDX-License-Identifier: MIT
// Hierarchical all-reduce (as Goyal et al. 2017), groups of X ranks, Y of them, n bytes:
//   1. reduce along a binomial tree to the first rank of each group;
//   2. all-reduce among these;
//   3. broadcast along the tree.
// Steps: 2 ceil(log2 X) and those of 2. Bytes sent by a first rank: at most ceil(log2 X) n to its
// group and those of 2, of n, among the groups. Time: 2 ceil(log2 X)(alpha + n beta)
// + ceil(log2 X) n gamma, and that of 2.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "training/strategies/collectives/phases.hpp"
#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {

SharedSchedule hierarchical(int ranks, int most, SharedSchedule (*among)(int ranks)) {
  const int group = std::min(most, ranks);  // the sums below do not overflow
  const int groups = (ranks + group - 1) / group;
  Team leaders{.stride = group, .size = groups, .schedule = among(groups)};
  std::vector<Team> reducing;
  reducing.reserve(static_cast<std::size_t>(groups));
  for (int first = 0; first < ranks; first += group)
    reducing.push_back({first, 1, std::min(group, ranks - first), nullptr});
  const std::int32_t parts = leaders.schedule->parts();
  std::vector<Team> broadcasting = reducing;
  const auto schedule_each = [parts](std::vector<Team>& teams, SharedSchedule (*make)(int ranks)) {
    SharedSchedule last;  // teams are of one size, but for the last
    for (Team& team : teams) {
      if (last == nullptr || last->ranks() != team.size) last = make(team.size);
      team.schedule = last;
      team.scale = parts;
    }
  };
  schedule_each(reducing, binomial_reduce);
  schedule_each(broadcasting, binomial_broadcast);
  return std::make_shared<Phases>(
      ranks, parts,
      std::vector<std::vector<Team>>{
          std::move(reducing), {std::move(leaders)}, std::move(broadcasting)});
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
    const int group = group_key ? *group_key : neighbours_of_first(plan);
    return hierarchical(plan.workers, group, among_key == Among::ring ? ring : halving_doubling);
  }
  int slices(double, int) const override { return slices_key; }
  static void describe(Description<Hierarchical>& d) {
    d.optional("group", &Hierarchical::group_key,
               "workers of a group; default: those of a computer or process, else all")
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
