// SPDX-License-Identifier: MIT
// The host's threads, against hand computation.
#include "sim/devices/host_thread.hpp"

#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;

TEST(HostThreadTest, HandlesOneOperationAfterAnother) {
  Costs costs;
  costs.handling = Seconds{2e-6};
  HostThread host(costs);
  EXPECT_TRUE(host.handles());
  EXPECT_EQ(host.handled_ps(0, Instant{0}), 2 * kMicrosecond);
  EXPECT_EQ(host.handled_ps(1, Instant{kMicrosecond}), 4 * kMicrosecond);
  EXPECT_EQ(host.handled_ps(0, Instant{10 * kMicrosecond}), 12 * kMicrosecond) << "it was idle";
}

TEST(HostThreadTest, ADecisionWaitsForOperationsThatAreHandled) {
  Costs costs;
  costs.handling = Seconds{5e-6};
  costs.decision = Seconds{3e-6};
  HostThread host(costs);
  EXPECT_EQ(host.decided_ps(0, Instant{0}), 3 * kMicrosecond);
  host.handled_ps(1, Instant{0});
  EXPECT_EQ(host.decided_ps(0, Instant{0}), 5 * kMicrosecond);
}

TEST(HostThreadTest, EachProcessHasAThreadOfItsOwn) {
  Costs costs;
  costs.handling = Seconds{2e-6};
  costs.processes.count = 2;
  costs.processes.of_role = {0, 1};
  HostThread host(costs);
  EXPECT_EQ(host.handled_ps(0, Instant{0}), 2 * kMicrosecond);
  EXPECT_EQ(host.handled_ps(1, Instant{0}), 2 * kMicrosecond);
}

TEST(HostThreadTest, OneThreadLaunchesTheKernelsOfAllWorkers) {
  Costs costs;
  costs.dispatch = Seconds{4e-6};
  HostThread host(costs);
  EXPECT_EQ(host.launched_ps(0, 3, Instant{0}), 12 * kMicrosecond);
  EXPECT_EQ(host.launched_ps(0, 1, Instant{0}), 16 * kMicrosecond);
  EXPECT_EQ(HostThread(Costs{}).launched_ps(0, 3, Instant{7}), 7) << "launches cost nothing";
}

TEST(HostThreadTest, EachComputerOfAClusterHasAThreadThatLaunches) {
  Costs costs;
  costs.dispatch = Seconds{4e-6};
  costs.computers = {0, 0, 1};
  HostThread host(costs);
  EXPECT_EQ(host.launched_ps(0, 1, Instant{0}), 4 * kMicrosecond);
  EXPECT_EQ(host.launched_ps(1, 1, Instant{0}), 8 * kMicrosecond);
  EXPECT_EQ(host.launched_ps(2, 1, Instant{0}), 4 * kMicrosecond);
}

TEST(HostThreadTest, EachGpuMayHaveAThreadThatLaunches) {
  Costs costs;
  costs.dispatch = Seconds{4e-6};
  costs.dispatchers = Dispatchers::gpu;
  costs.slowdown = {1, 1};
  HostThread host(costs);
  EXPECT_EQ(host.launched_ps(0, 2, Instant{0}), 8 * kMicrosecond);
  EXPECT_EQ(host.launched_ps(1, 1, Instant{0}), 4 * kMicrosecond);
  EXPECT_EQ(host.launched_ps(0, 1, Instant{0}), 12 * kMicrosecond);
}

// 40 ms of four layers; 20 ms a launch for two workers make 160 ms.
TEST(HostThreadTest, LayersThatAreLaunchedLateEndLate) {
  Costs costs = four_layers();
  costs.dispatch = Seconds{0.02};
  const auto rank = [](RoleId me) {
    return [me](Backend& backend) -> Task<> {
      co_await backend.finished(
          me, backend.compute({me, StreamKind::compute}, {Pass::forward, 0, 4}, {me, 0}));
    };
  };
  EXPECT_DOUBLE_EQ(run(star(2), costs, {rank(0), rank(1)}), 0.16);
  costs.dispatch = Seconds{0.001};
  EXPECT_DOUBLE_EQ(run(star(2), costs, {rank(0), rank(1)}), 0.04) << "ahead of the GPU";
}

// 40 ms of four layers, of which one is a loop of 7 operations: 10 ms of 1 ms each come before, for
// each of two workers in turn.
TEST(HostThreadTest, OfALoopTheGpuWaitsForTheHost) {
  Costs costs = four_layers();
  costs.dispatch = Seconds{0.001};
  costs.loop_operations = {0, 7, 0, 0};
  EXPECT_EQ(costs.dispatches({Pass::forward, 0, 4}, 0), 10);
  EXPECT_TRUE(costs.loops({Pass::forward, 1, 2}));
  EXPECT_FALSE(costs.loops({Pass::forward, 2, 4}));
  const auto rank = [](RoleId me) {
    return [me](Backend& backend) -> Task<> {
      co_await backend.finished(
          me, backend.compute({me, StreamKind::compute}, {Pass::forward, 0, 4}, {me, 0}));
    };
  };
  EXPECT_DOUBLE_EQ(run(star(2), costs, {rank(0), rank(1)}), 0.06);
}

}  // namespace
}  // namespace paceline
