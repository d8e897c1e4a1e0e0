// SPDX-License-Identifier: MIT
// Groups follow the computers and processes of workers, however these are numbered.
#include "training/strategies/grouping.hpp"

#include <gmock/gmock.h>

#include "training/strategies/plan.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

/// The members of each group.
std::vector<std::vector<int>> members(const Grouping& groups) {
  std::vector<std::vector<int>> all;
  for (int group = 0; group < groups.count(); ++group) {
    std::vector<int>& one = all.emplace_back();
    for (int i = 0; i < groups.size_of(group); ++i)
      one.push_back(groups.worker_at(groups.begin_of(group) + i));
  }
  return all;
}

Plan on_computers(std::vector<int> computers) {
  Plan plan;
  plan.workers = static_cast<int>(computers.size());
  plan.computers = std::move(computers);
  return plan;
}

TEST(GroupingTest, ConsecutiveWorkersLeaveTheRestToTheLastGroup) {
  const Grouping groups = Grouping::consecutive(5, 2);
  EXPECT_THAT(members(groups), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_EQ(groups.order(), nullptr);
  EXPECT_FALSE(groups.equal());
  EXPECT_TRUE(groups.is_first(4));
  EXPECT_FALSE(groups.is_first(3));
  EXPECT_EQ(Grouping::consecutive(3, 2'000'000'000).count(), 1);
}

TEST(GroupingTest, WorkersOfAComputerNeedNotFollowEachOther) {
  const Plan by_round = on_computers({0, 1, 2, 0, 1, 2, 0, 1, 2});
  const Grouping groups = Grouping::by_host(by_round);
  EXPECT_THAT(members(groups),
              ElementsAre(ElementsAre(0, 3, 6), ElementsAre(1, 4, 7), ElementsAre(2, 5, 8)));
  EXPECT_TRUE(groups.equal());
  EXPECT_EQ(groups.group_of(7), 1);
  EXPECT_EQ(groups.first_of(1), 1);
}

TEST(GroupingTest, ComputersMayHaveDifferentNumbersOfWorkers) {
  const Grouping groups = Grouping::by_host(on_computers({2, 0, 2, 2, 1, 0}));
  EXPECT_THAT(members(groups),
              ElementsAre(ElementsAre(0, 2, 3), ElementsAre(1, 5), ElementsAre(4)));
  EXPECT_EQ(groups.smallest(), 1);
  EXPECT_EQ(groups.largest(), 3);
}

TEST(GroupingTest, ProcessesOfAComputerAreApart) {
  Plan plan = on_computers({0, 0, 0, 0});
  plan.processes = {0, 0, 1, 1};
  EXPECT_EQ(Grouping::by_host(plan).count(), 2);
  plan.computers.clear();
  plan.processes.clear();
  EXPECT_EQ(Grouping::by_host(plan).count(), 1);
}

TEST(GroupingTest, GroupsOfASizeAreTakenComputerByComputer) {
  const Plan by_round = on_computers({0, 1, 0, 1, 0, 1});
  EXPECT_THAT(members(Grouping::by_host(by_round, 2)),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 4), ElementsAre(3, 5)));
  EXPECT_THAT(members(Grouping::by_host(by_round, 3)),
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3, 5)));
}

}  // namespace
}  // namespace paceline
