// SPDX-License-Identifier: MIT
// Random networks and flows: FluidNetwork compared with a brute-force simulation.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sim/network/fluid_network.hpp"
#include "tests/sim/network/fluid_reference.hpp"

namespace paceline {
namespace {

constexpr double kGB = 1e9;
constexpr ResourceId kA{0};

struct RandomCase {
  PlainNetwork plain;
  std::vector<FlowArrival> arrivals;

  // Every third case has own links for its routes beside the shared ones; of 256 flows, `cancelled`
  // are cancelled in flight.
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

// Domination, merging, components and service clocks are optimisations: the times must equal those
// of a simulation without them.
TEST(FluidNetwork, AgreesWithBruteForceOnRandomNetworks) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const RandomCase test_case(random);
    expect_same(fluid_completions(test_case.plain, test_case.arrivals),
                reference_completions(test_case.plain, test_case.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST(FluidNetwork, AgreesWithBruteForceWhenFlowsAreCancelled) {
  std::mt19937_64 random(17);
  for (int trial = 0; trial < 300; ++trial) {
    const RandomCase test_case(random, 128);
    expect_same(fluid_completions(test_case.plain, test_case.arrivals),
                reference_completions(test_case.plain, test_case.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

// System:   8 workers, each over its own link into a shared one; own links faster, equal and slower
// Expected: the times of a simulation without reduction.
TEST(FluidNetwork, DominationChangesNoTime) {
  for (const double own : {0.3, 1.0, 2.0}) {
    PlainNetwork plain{{kGB}, {}};
    std::vector<FlowArrival> arrivals;
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

// Routes are added one by one while flows are in flight, which must give the same times as adding
// all of them first.
TEST(FluidNetwork, RoutesAddedOnTheWayChangeNoTime) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const RandomCase test_case(random);
    FluidNetwork network;
    for (const double capacity : test_case.plain.capacities) network.add_resource(capacity);
    FluidRun run(network);
    std::vector<std::uint32_t> known(test_case.plain.routes.size(),
                                     0);  // 0: not added; else id + 1
    std::uint32_t added = 0;
    for (std::uint32_t i = 0; i < test_case.arrivals.size(); ++i) {
      const FlowArrival& arrival = test_case.arrivals[i];
      run.run_until(arrival.time_ps);
      if (known[arrival.route] == 0) {
        const PlainRoute& route = test_case.plain.routes[arrival.route];
        network.add_route(route.uses, route.limit);
        known[arrival.route] = ++added;
      }
      run.start(known[arrival.route] - 1, arrival.amount, i);
    }
    run.run();
    std::vector<double> times(test_case.arrivals.size());
    for (const auto& [time, payload] : run.finished()) times[payload] = static_cast<double>(time);
    expect_same(times, reference_completions(test_case.plain, test_case.arrivals));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

// The service delivered, the integral of a resource's load over time, equals the sum of the amounts
// (times the coefficients).
TEST(FluidNetwork, ServiceIsConserved) {
  std::mt19937_64 random(13);
  const RandomCase test_case(random);
  FluidNetwork network = test_case.plain.build();
  FluidRun run(network);
  const std::size_t resources = test_case.plain.capacities.size();
  std::vector<double> delivered(resources, 0.0);
  std::vector<double> requested(resources, 0.0);
  const auto advance = [&](std::int64_t to_ps) {
    run.settle();
    while (network.next_completion() < to_ps || run.now_ps() < to_ps) {
      const std::int64_t step_ps = std::min(network.next_completion(), to_ps);
      if (step_ps == FluidNetwork::kNever) return;
      for (std::uint32_t r = 0; r < resources; ++r) {
        EXPECT_LE(network.load(ResourceId{r}), test_case.plain.capacities[r] * (1 + 1e-9));
        delivered[r] +=
            network.load(ResourceId{r}) * static_cast<double>(step_ps - run.now_ps()) / 1e12;
      }
      run.run_until(step_ps == to_ps ? to_ps : step_ps + 1);
    }
  };
  for (std::uint32_t i = 0; i < test_case.arrivals.size(); ++i) {
    advance(test_case.arrivals[i].time_ps);
    run.start(test_case.arrivals[i].route, test_case.arrivals[i].amount, i);
    for (const Use& use : test_case.plain.routes[test_case.arrivals[i].route].uses) {
      requested[index(use.resource)] += use.coefficient * test_case.arrivals[i].amount;
    }
  }
  advance(FluidNetwork::kNever);
  for (std::size_t r = 0; r < resources; ++r)
    EXPECT_NEAR(delivered[r], requested[r], requested[r] * 1e-6);
}

}  // namespace
}  // namespace paceline
