// SPDX-License-Identifier: MIT
// Capacities are in bytes/s, amounts in bytes; 1 GB/s moves one byte in exactly 1000 ps.
#include "sim/network/fluid_network.hpp"

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/network/fluid_reference.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr double kGB = 1e9;
constexpr ResourceId kA{0};
constexpr ResourceId kB{1};

// System:   one link of 1 GB/s; two flows of 1000 bytes from 0
// Expected: each gets half, so both end at 2000 x 1000 ps, in start order.
TEST(FluidNetwork, TwoFlowsOnOneLinkGetHalfEach) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  FluidRun run(network);
  const FlowId first = run.start(0, 1000, 1);
  const FlowId second = run.start(0, 1000, 2);
  run.settle();
  EXPECT_EQ(network.rate(first), kGB / 2);
  EXPECT_EQ(network.rate(second), kGB / 2);
  EXPECT_EQ(network.load(kA), kGB);
  EXPECT_EQ(network.next_completion(), 2'000'000);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(2'000'000, 1), Pair(2'000'000, 2)));
  EXPECT_EQ(network.load(kA), 0);
  EXPECT_EQ(network.rate(first), 0);
  EXPECT_EQ(network.next_completion(), FluidNetwork::kNever);
}

// System:   one link of 1 GB/s; 1000 bytes from 0, 1000 bytes from 400 ns
// Expected: the first flow has 600 left at 400 ns and takes 1200 ns more at half the rate: 1.6 us.
//           The second then has 400 left at the full rate: 2 us, when 2000 bytes have passed.
TEST(FluidNetwork, FlowThatStartsMidWayThroughAnother) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  FluidRun run(network);
  run.start(0, 1000, 1);
  run.run_until(400'000);
  run.start(0, 1000, 2);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(1'600'000, 1), Pair(2'000'000, 2)));
}

// System:   processor sharing at 1 GB/s; sizes 300, 100, 200, 100 bytes from 0
// Expected: four flows share until those of 100 bytes end (400 ns), then two until that of 200 ends
//           (+ 200 ns); the last has 100 left (+ 100 ns). In all 700 bytes in 700 ns.
TEST(FluidNetwork, QueueOfDifferentSizes) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  FluidRun run(network);
  run.start(0, 300, 0);
  run.start(0, 100, 1);
  run.start(0, 200, 2);
  run.start(0, 100, 3);
  run.run();
  EXPECT_THAT(run.finished(),
              ElementsAre(Pair(400'000, 1), Pair(400'000, 3), Pair(600'000, 2), Pair(700'000, 0)));
}

// System:   links A and B of 1 GB/s; long over both, a over A twice, b over B once; 1000 bytes
//           each
// Expected: A limits three flows to 1/3 (3 us); b has 2/3 of B and ends at 1.5 us, which changes
//           nothing for the others.
TEST(FluidNetwork, ParkingLot) {
  FluidNetwork network = PlainNetwork{{kGB, kGB}, {{{{kA}, {kB}}}, {{{kA}}}, {{{kB}}}}}.build();
  FluidRun run(network);
  const FlowId across = run.start(0, 1000, 0);
  run.start(1, 1000, 1);
  run.start(1, 1000, 2);
  const FlowId b = run.start(2, 1000, 3);
  run.settle();
  EXPECT_DOUBLE_EQ(network.rate(across), kGB / 3);
  EXPECT_DOUBLE_EQ(network.rate(b), kGB * 2 / 3);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(1'500'000, 3), Pair(3'000'000, 0),
                                          Pair(3'000'000, 1), Pair(3'000'000, 2)));
}

// System:   a link of 1 GB/s; one route limited to 0.2 GB/s, one unlimited; 1000 bytes each
// Expected: the limited flow takes 5 us in any case; the other has 0.8 GB/s: 1.25 us.
TEST(FluidNetwork, LimitedFlowLeavesTheRest) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}, 0.2 * kGB}, {{{kA}}}}}.build();
  FluidRun run(network);
  run.start(0, 1000, 0);
  run.start(1, 1000, 1);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(1'250'000, 1), Pair(5'000'000, 0)));
}

// Further flows of its class do not affect a flow at its limit: no new wakeup is made for it.
TEST(FluidNetwork, UnchangedClassesKeepTheirWakeup) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}, 0.1 * kGB}}}.build();
  FluidRun run(network);
  network.start(RouteId{0}, 1000, 0, 0);
  EXPECT_EQ(network.settle(0).size(), 1u);
  network.start(RouteId{0}, 1000, 77, 1);
  EXPECT_THAT(network.settle(77), IsEmpty());
}

// System:   1024 routes, each with a link of its own into one of 1 GB/s; 1000 bytes each
// Expected: they are one class: one wakeup, and all end together at 1.024 ms, in order of start.
TEST(FluidNetwork, AlikeFlowsAreOneClass) {
  FluidNetwork network;
  const ResourceId server = network.add_resource(kGB);
  for (int worker = 0; worker < 1024; ++worker) {
    network.add_route(std::vector<Use>{{network.add_resource(4 * kGB)}, {server}});
  }
  for (std::uint32_t worker = 0; worker < 1024; ++worker)
    network.start(RouteId{worker}, 1000, 0, worker);
  const auto wakeups = network.settle(0);
  ASSERT_EQ(wakeups.size(), 1u);
  EXPECT_EQ(wakeups[0].time_ps, 1'024'000'000);
  EXPECT_DOUBLE_EQ(network.load(ResourceId{7}),
                   kGB / 1024);  // a resource that binds nothing is still accounted for
  const auto payloads = network.complete(wakeups[0]);
  ASSERT_EQ(payloads.size(), 1024u);
  for (std::uint32_t worker = 0; worker < 1024; ++worker) EXPECT_EQ(payloads[worker], worker);
}

// System:   own links of 0.4 GB/s into a shared one of 1 GB/s; two flows of worker 0 from 0, one
//           of worker 1 from 0
// Expected: the flows of worker 0 have 0.2 each, that of worker 1 has 0.4: 2.5 us for its 1000
//           bytes, 5 us for those of worker 0. With one flow per worker all flows are in one class;
//           the second flow of worker 0 puts its flows in a class of their own.
TEST(FluidNetwork, SecondFlowOnASlowOwnLink) {
  FluidNetwork network = PlainNetwork{{kGB, 0.4 * kGB, 0.4 * kGB},
                                      {{{{kA}, {ResourceId{1}}}}, {{{kA}, {ResourceId{2}}}}}}
                             .build();
  FluidRun run(network);
  run.start(0, 1000, 0);
  run.start(1, 1000, 1);
  run.start(0, 1000, 2);
  run.settle();
  EXPECT_DOUBLE_EQ(network.load(ResourceId{1}), 0.4 * kGB);
  EXPECT_DOUBLE_EQ(network.load(kA), 0.8 * kGB);
  run.run();
  EXPECT_THAT(run.finished(),
              ElementsAre(Pair(2'500'000, 1), Pair(5'000'000, 0), Pair(5'000'000, 2)));
}

TEST(FluidNetwork, NothingToMoveEndsAtOnce) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}, {{}}}}.build();
  FluidRun run(network);
  run.run_until(500);
  run.start(0, 0, 1);
  run.start(1, 1e9, 2);  // a route without resources and limit
  run.start(0, 1, 3);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(500, 1), Pair(500, 2), Pair(1500, 3)));
}

// System:   1 GB/s; 1000 bytes twice from 0; the second flow is cancelled at 1 us
// Expected: the first flow has 500 left and gets the full rate: 1.5 us. The cancelled one has
//           received 500 too.
TEST(FluidNetwork, CancelledFlowFreesItsShare) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  FluidRun run(network);
  run.start(0, 1000, 1);
  const FlowId second = run.start(0, 1000, 2);
  run.run_until(1'000'000);
  EXPECT_DOUBLE_EQ(network.remaining(second, run.now_ps()), 500);
  EXPECT_TRUE(network.cancel(second, run.now_ps()));
  EXPECT_FALSE(network.cancel(second, run.now_ps()));
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(1'500'000, 1)));
}

// The flow that would end first is cancelled at the very instant of its wakeup.
TEST(FluidNetwork, CancelAtTheLastInstant) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  const FlowId first = network.start(RouteId{0}, 100, 0, 1);
  network.start(RouteId{0}, 200, 0, 2);
  const Wakeup due = network.settle(0)[0];
  EXPECT_EQ(due.time_ps, 200'000);
  EXPECT_TRUE(network.cancel(first, due.time_ps));
  EXPECT_TRUE(network.stale(due));
  EXPECT_THAT(network.complete(due), IsEmpty());
  EXPECT_EQ(network.settle(due.time_ps)[0].time_ps, 300'000);
}

// Most flows of a queue are cancelled, in another order than that of their ends; the others must
// end at the right times.
TEST(FluidNetwork, CancelMany) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  FluidRun run(network);
  std::vector<FlowId> flows;
  for (std::uint32_t i = 0; i < 100; ++i) flows.push_back(run.start(0, 10 + (i * 37) % 100, i));
  run.settle();
  for (std::uint32_t i = 0; i < 100; ++i) {
    if (i == 40) continue;
    EXPECT_TRUE(network.cancel(flows[i], 0));
  }
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair((10 + (40 * 37) % 100) * 1000, 40)));
}

// System:   A, B of 1 GB/s on one route (so B is dominated); at 1 us of 2 a route over B alone is
//           added and used
// Expected: B limits both flows from then on: the second half of the first flow takes 2 us and ends
//           at 3 us; so does the new flow of 1000 bytes.
TEST(FluidNetwork, RouteThatBreaksADominationWhileFlowsAreActive) {
  FluidNetwork network = PlainNetwork{{kGB, kGB}, {{{{kA}, {kB}}}}}.build();
  FluidRun run(network);
  const FlowId old = run.start(0, 2000, 1);
  run.run_until(1'000'000);
  network.add_route(std::vector<Use>{{kB}});
  run.start(1, 1000, 2);
  run.settle();
  EXPECT_DOUBLE_EQ(network.rate(old), kGB / 2);
  EXPECT_DOUBLE_EQ(network.load(kB), kGB);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(3'000'000, 1), Pair(3'000'000, 2)));
}

TEST(FluidNetwork, RefusesAClockThatMakesNoSense) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  network.start(RouteId{0}, 1, 100, 0);
  EXPECT_THROW(network.start(RouteId{0}, 1, 99, 0), std::logic_error);
  EXPECT_THROW(network.start(RouteId{0}, 1, 101, 0), std::logic_error);
  EXPECT_THROW(network.start(RouteId{0}, -1, 100, 0), std::invalid_argument);
}

// A class that is rarely idle keeps its precision: flow i starts when flow i - 1 is half through, a
// million times.
TEST(FluidNetwork, BusyQueueDoesNotDrift) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}}}}.build();
  network.start(RouteId{0}, 1e6, 0, 0);
  network.start(RouteId{0}, 5e5, 0, 1);
  Wakeup next = network.settle(0)[0];
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_EQ(network.complete(next).size(), 1u);
    network.start(RouteId{0}, 1e6, next.time_ps, 0);
    next = network.settle(next.time_ps)[0];
  }
  EXPECT_EQ(next.time_ps, 1'000'001'000'000'000);  // a multiple of 1e9 ps, exactly
}

}  // namespace
}  // namespace paceline
