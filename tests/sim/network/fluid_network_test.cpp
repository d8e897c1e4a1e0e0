// SPDX-License-Identifier: MIT
// Capacities are in bytes/s, amounts in bytes; 1 GB/s moves one byte in exactly 1000 ps.
#include "sim/network/fluid_network.hpp"

#include <algorithm>
#include <random>
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
// Expected: half of it each, so both end at 2000 x 1000 ps, in order of start.
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
// Expected: the first has 600 left at 400 ns, takes 1200 ns more at half rate: 1.6 us. The second
//           has then 400 left, at the full rate: 2 us, when 2000 bytes have passed.
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
// Expected: four share until the two of 100 end (400 ns); two until that of 200 does (+ 200 ns);
//           the last has 100 left (+ 100 ns). In all 700 bytes in 700 ns.
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
// Expected: A binds three at 1/3 (3 us); b has 2/3 of B and ends at 1.5 us, which changes nothing
//           for the others.
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

// System:   a link of 1 GB/s; one route limited to 0.2 GB/s, one not; 1000 bytes each
// Expected: the limited one takes 5 us whatever happens; the other has 0.8 GB/s: 1.25 us.
TEST(FluidNetwork, LimitedFlowLeavesTheRest) {
  FluidNetwork network = PlainNetwork{{kGB}, {{{{kA}}, 0.2 * kGB}, {{{kA}}}}}.build();
  FluidRun run(network);
  run.start(0, 1000, 0);
  run.start(1, 1000, 1);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(1'250'000, 1), Pair(5'000'000, 0)));
}

// A flow at its limit is not disturbed by others of its class: no new wakeup is made for it.
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
// Expected: worker 0's two have 0.2 each, worker 1's 0.4: 2.5 us for 1000 bytes, 5 us for worker
//           0's. A single flow of each worker is in one class with the others, but worker 0's
//           second flow sets it apart.
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
  run.start(1, 1e9, 2);  // a route that nothing bounds
  run.start(0, 1, 3);
  run.run();
  EXPECT_THAT(run.finished(), ElementsAre(Pair(500, 1), Pair(500, 2), Pair(1500, 3)));
}

// System:   1 GB/s; 1000 bytes twice from 0; the second is cancelled at 1 us
// Expected: the first, with 500 left, gets all of it: 1.5 us. The cancelled one has had 500 as
//           well.
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

// The flow that would end first is cancelled at the very instant at which its wakeup is due.
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

// Most of a queue is cancelled, in an order unlike that of its ends; what is left ends when it
// should.
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

// System:   A, B of 1 GB/s on one route (so B is dropped); at 1 us of 2 a route over B alone
//           appears, and is used
// Expected: B binds from then on: the first flow's second half takes 2 us, ending at 3 us; so does
//           the new 1000 bytes.
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

// A class that is never idle for long keeps its precision: flow i starts when i - 1 is half
// through, a million times.
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
  EXPECT_EQ(next.time_ps, 1'000'001'000'000'000);  // a multiple of 1e9 ps, to the last one
}

struct RandomCase {
  PlainNetwork plain;
  std::vector<Arrival> arrivals;

  // Every third has own links for its routes beside what they share; `cancelled` of 256 flows are
  // cancelled on the way.
  explicit RandomCase(std::mt19937_64& random, std::uint32_t cancelled = 0) {
    const auto pick = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t resources = 1 + pick(8);
    for (std::uint32_t r = 0; r < resources; ++r) plain.capacities.push_back(kGB * (1 + pick(5)));
    const std::uint32_t routes = 1 + pick(10);
    const bool own_links = pick(3) == 0;
    for (std::uint32_t r = 0; r < routes; ++r) {
      PlainRoute route;
      for (std::uint32_t use = 0, n = 1 + pick(4); use < n; ++use) {
        route.uses.push_back({ResourceId{pick(resources)}, 0.5 * (1 + pick(4))});
      }
      if (pick(4) == 0) route.limit = kGB * 0.1 * (1 + pick(10));
      if (own_links) {
        route.uses.push_back({static_cast<ResourceId>(plain.capacities.size()), 1.0});
        plain.capacities.push_back(kGB * 0.25 * (1 + pick(4)));
      }
      plain.routes.push_back(route);
    }
    std::int64_t time_ps = 0;
    for (int flow = 0; flow < 60; ++flow) {
      time_ps += pick(3) == 0 ? 0 : pick(2'000'000'000);
      arrivals.push_back({time_ps, pick(routes), 1e3 * (1 + pick(10'000))});
      if (pick(256) < cancelled) {
        time_ps += pick(2) == 0 ? 0 : pick(1'000'000'000);
        arrivals.push_back({time_ps, 0, 0, pick(static_cast<std::uint32_t>(arrivals.size()))});
      }
    }
  }
};

void expect_same(const std::vector<double>& fluid, const std::vector<double>& reference) {
  for (std::size_t i = 0; i < reference.size(); ++i) {
    EXPECT_NEAR(fluid[i], reference[i], std::max(2.0, 1e-9 * reference[i])) << "flow " << i;
  }
}

// Domination, merging, components and virtual clocks are shortcuts: the times must be those of a
// simulation with none.
TEST(FluidNetwork, AgreesWithBruteForceOnRandomNetworks) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const RandomCase wanted(random);
    expect_same(fluid_completions(wanted.plain, wanted.arrivals),
                reference_completions(wanted.plain, wanted.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST(FluidNetwork, AgreesWithBruteForceWhenFlowsAreCancelled) {
  std::mt19937_64 random(17);
  for (int trial = 0; trial < 300; ++trial) {
    const RandomCase wanted(random, 128);
    expect_same(fluid_completions(wanted.plain, wanted.arrivals),
                reference_completions(wanted.plain, wanted.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

// System:   8 workers, each over an own link into a shared one, own links faster, equal and slower
// Expected: the times of a simulation that reduces nothing.
TEST(FluidNetwork, DominationChangesNoTime) {
  for (const double own : {0.3, 1.0, 2.0}) {
    PlainNetwork plain{{kGB}, {}};
    std::vector<Arrival> arrivals;
    for (std::uint32_t worker = 0; worker < 8; ++worker) {
      plain.capacities.push_back(own * kGB);
      plain.routes.push_back({{{ResourceId{worker + 1}}, {kA}}});
    }
    for (std::uint32_t flow = 0; flow < 64; ++flow) {
      arrivals.push_back({std::int64_t{flow} * 300'000'000, (flow * 5) % 8, 1e5 * (1 + flow % 7)});
    }
    expect_same(fluid_completions(plain, arrivals), reference_completions(plain, arrivals));
  }
}

// Routes are added one by one while flows are under way, which must give the same as having had
// them all from the start.
TEST(FluidNetwork, RoutesAddedOnTheWayChangeNoTime) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const RandomCase wanted(random);
    FluidNetwork network;
    for (const double capacity : wanted.plain.capacities) network.add_resource(capacity);
    FluidRun run(network);
    std::vector<std::uint32_t> known(wanted.plain.routes.size(), 0);  // 0: not added; else id + 1
    std::uint32_t added = 0;
    for (std::uint32_t i = 0; i < wanted.arrivals.size(); ++i) {
      const Arrival& arrival = wanted.arrivals[i];
      run.run_until(arrival.time_ps);
      if (known[arrival.route] == 0) {
        const PlainRoute& route = wanted.plain.routes[arrival.route];
        network.add_route(route.uses, route.limit);
        known[arrival.route] = ++added;
      }
      run.start(known[arrival.route] - 1, arrival.amount, i);
    }
    run.run();
    std::vector<double> times(wanted.arrivals.size());
    for (const auto& [time, payload] : run.finished()) times[payload] = static_cast<double>(time);
    expect_same(times, reference_completions(wanted.plain, wanted.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

// The service delivered, as the integral of a resource's load over time, is the sum of the amounts
// (times coefficients).
TEST(FluidNetwork, ServiceIsConserved) {
  std::mt19937_64 random(13);
  const RandomCase wanted(random);
  FluidNetwork network = wanted.plain.build();
  FluidRun run(network);
  const std::size_t resources = wanted.plain.capacities.size();
  std::vector<double> delivered(resources, 0.0);
  std::vector<double> asked(resources, 0.0);
  const auto advance = [&](std::int64_t to_ps) {
    run.settle();
    while (network.next_completion() < to_ps || run.now_ps() < to_ps) {
      const std::int64_t step_ps = std::min(network.next_completion(), to_ps);
      if (step_ps == FluidNetwork::kNever) return;
      for (std::uint32_t r = 0; r < resources; ++r) {
        EXPECT_LE(network.load(ResourceId{r}), wanted.plain.capacities[r] * (1 + 1e-9));
        delivered[r] +=
            network.load(ResourceId{r}) * static_cast<double>(step_ps - run.now_ps()) / 1e12;
      }
      run.run_until(step_ps == to_ps ? to_ps : step_ps + 1);
    }
  };
  for (std::uint32_t i = 0; i < wanted.arrivals.size(); ++i) {
    advance(wanted.arrivals[i].time_ps);
    run.start(wanted.arrivals[i].route, wanted.arrivals[i].amount, i);
    for (const Use& use : wanted.plain.routes[wanted.arrivals[i].route].uses) {
      asked[index(use.resource)] += use.coefficient * wanted.arrivals[i].amount;
    }
  }
  advance(FluidNetwork::kNever);
  for (std::size_t r = 0; r < resources; ++r) EXPECT_NEAR(delivered[r], asked[r], asked[r] * 1e-6);
}

}  // namespace
}  // namespace paceline
