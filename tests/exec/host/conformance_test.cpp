// SPDX-License-Identifier: MIT
// Every schedule on this computer's threads: each rank ends with the exact sums.
#include "exec/host/host_machine.hpp"
#include "tests/exec/conforming_collective.hpp"
#include "training/experiment/trainer.hpp"

namespace paceline {
namespace {

class HostConformanceTest : public testing::TestWithParam<ScheduleOfRanks> {};

TEST_P(HostConformanceTest, EveryRankEndsWithTheRightFloats) {
  const auto& [one, ranks] = GetParam();
  for (const std::int64_t size : {1, 1009, 32771}) {
    const ConformingCollective collective(one, ranks, size);
    Trainer trainer(collective.setting(), 1);
    Learning learning = trainer.start(collective.plan(), 0);
    Buffers& buffers = learning.buffers();
    for (int rank = 0; rank < ranks; ++rank) {
      std::ranges::copy(collective.before(rank), buffers.gradient(rank).begin());
    }
    WallTime time;
    HostMachine machine(collective.plan(), learning, time);
    for (RoleId me = 0; me < ranks; ++me) {
      machine.start_role(me, collective.program(machine, me));
    }
    machine.run();
    collective.expect_right(buffers, [](std::span<const float> where) {
      return std::vector<float>(where.begin(), where.end());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, HostConformanceTest, every_schedule_of_ranks(),
                         schedule_of_ranks_name);

}  // namespace
}  // namespace paceline
