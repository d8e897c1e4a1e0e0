// SPDX-License-Identifier: MIT
// Every schedule on one card with as many workers as ranks: each ends with the exact sums.
#include "exec/cuda/cuda_execution.hpp"
#include "tests/exec/conforming_collective.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class CudaConformanceTest : public DeviceTest,
                            public testing::WithParamInterface<ScheduleOfRanks> {};

TEST_P(CudaConformanceTest, EveryRankEndsWithTheRightFloats) {
  const auto& [one, ranks] = GetParam();
  for (const std::int64_t size : {1, 1009, 32771}) {
    const ConformingCollective collective(one, ranks, size,
                                          "devices: {virtual: " + std::to_string(ranks) + "}\n");
    CudaExecution execution(collective.setting(), "");
    const std::unique_ptr<Workplace> place = execution.workplace(collective.plan(), 0);
    const auto bytes = static_cast<std::size_t>(4 * size);
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<float> before = collective.before(rank);
      copy_now(place->buffers.gradient(rank).data(), before.data(), bytes, "writing");
    }
    WallTime time;
    CudaMachine machine(collective.plan(), place->site, time);
    for (RoleId me = 0; me < ranks; ++me) {
      machine.start_role(me, collective.program(machine, me));
    }
    machine.run();
    collective.expect_right(place->buffers, [](std::span<const float> where) {
      std::vector<float> floats(where.size());
      copy_now(floats.data(), where.data(), where.size_bytes(), "reading");
      return floats;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaConformanceTest, every_schedule_of_ranks(),
                         schedule_of_ranks_name);

}  // namespace
}  // namespace paceline::cuda
