// SPDX-License-Identifier: MIT
#include "sim/network/max_min.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

using Share = MaxMin::Share;

// System:   x1 + x2 <= 10
// Expected: x1 = x2 = 5: on a full resource neither may have more than the other.
TEST(MaxMin, TwoVariablesShareOneResourceEvenly) {
  MaxMin system;
  const auto link = system.add_resource(10);
  const std::vector<Share> shares{{link, 1}};
  const auto x1 = system.add_variable(1, MaxMin::kUnlimited, shares);
  const auto x2 = system.add_variable(1, MaxMin::kUnlimited, shares);
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(x1), 5);
  EXPECT_DOUBLE_EQ(system.rate(x2), 5);
}

// System:   3 x1 + x2 <= 12     (x1 stands for three flows)
// Expected: x1 = x2 = 3: fairness is between flows, not between variables.
TEST(MaxMin, WeightIsTheNumberOfFlows) {
  MaxMin system;
  const auto link = system.add_resource(12);
  const std::vector<Share> shares{{link, 1}};
  const auto x1 = system.add_variable(3, MaxMin::kUnlimited, shares);
  const auto x2 = system.add_variable(1, MaxMin::kUnlimited, shares);
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(x1), 3);
  EXPECT_DOUBLE_EQ(system.rate(x2), 3);
}

// System:   2 x1 + x2 <= 12
// Expected: x1 = x2 = 4: fairness makes rates equal, not their use of the resource.
TEST(MaxMin, CoefficientMakesAFlowCostMore) {
  MaxMin system;
  const auto link = system.add_resource(12);
  const auto x1 = system.add_variable(1, MaxMin::kUnlimited, std::vector<Share>{{link, 2}});
  const auto x2 = system.add_variable(1, MaxMin::kUnlimited, std::vector<Share>{{link, 1}});
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(x1), 4);
  EXPECT_DOUBLE_EQ(system.rate(x2), 4);
}

// System:   x1 + x2 + x3 <= 12,  x1 <= 1,  x2 <= 5
// Expected: x1 = 1 at its limit; x2 = 5 at its limit; x3 = 6, the rest.
TEST(MaxMin, LimitedVariablesLeaveTheRestToTheOthers) {
  MaxMin system;
  const auto link = system.add_resource(12);
  const std::vector<Share> shares{{link, 1}};
  const auto x1 = system.add_variable(1, 1, shares);
  const auto x2 = system.add_variable(1, 5, shares);
  const auto x3 = system.add_variable(1, MaxMin::kUnlimited, shares);
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(x1), 1);
  EXPECT_DOUBLE_EQ(system.rate(x2), 5);
  EXPECT_DOUBLE_EQ(system.rate(x3), 6);
}

// System:   long + a <= 10,  long + b <= 10,  b <= 2     (the example in the header)
// Expected: b = 2 at its limit; the first resource limits long = a = 5; the second has 3 left.
TEST(MaxMin, TheHeadersExample) {
  MaxMin system;
  const auto first = system.add_resource(10);
  const auto second = system.add_resource(10);
  const auto both =
      system.add_variable(1, MaxMin::kUnlimited, std::vector<Share>{{first, 1}, {second, 1}});
  const auto a = system.add_variable(1, MaxMin::kUnlimited, std::vector<Share>{{first, 1}});
  const auto b = system.add_variable(1, 2, std::vector<Share>{{second, 1}});
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(both), 5);
  EXPECT_DOUBLE_EQ(system.rate(a), 5);
  EXPECT_DOUBLE_EQ(system.rate(b), 2);
}

// System:   long + 3 s0 <= 12,  long + 2 s1 <= 12,  long + s2 <= 12     (a parking lot with
//           different crowds)
// Expected: the most crowded link limits long = s0 = 3; then s1 = 9 / 2, s2 = 9.
TEST(MaxMin, ParkingLot) {
  MaxMin system;
  const std::vector<Share> line{
      {system.add_resource(12), 1}, {system.add_resource(12), 1}, {system.add_resource(12), 1}};
  const auto across = system.add_variable(1, MaxMin::kUnlimited, line);
  const auto s0 = system.add_variable(3, MaxMin::kUnlimited, std::span(line).subspan(0, 1));
  const auto s1 = system.add_variable(2, MaxMin::kUnlimited, std::span(line).subspan(1, 1));
  const auto s2 = system.add_variable(1, MaxMin::kUnlimited, std::span(line).subspan(2, 1));
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(across), 3);
  EXPECT_DOUBLE_EQ(system.rate(s0), 3);
  EXPECT_DOUBLE_EQ(system.rate(s1), 4.5);
  EXPECT_DOUBLE_EQ(system.rate(s2), 9);
}

// System:   no resource; x1 <= 7, x2 unlimited
// Expected: x1 = 7, x2 infinite.
TEST(MaxMin, WithoutResourcesOnlyTheLimitHolds) {
  MaxMin system;
  const auto x1 = system.add_variable(1, 7, {});
  const auto x2 = system.add_variable(1, MaxMin::kUnlimited, {});
  system.solve();
  EXPECT_DOUBLE_EQ(system.rate(x1), 7);
  EXPECT_EQ(system.rate(x2), MaxMin::kUnlimited);
}

// System:   1000 x1 + 1000 x2 + 1e-9 x3 <= 1,  x1 <= 1e-4,  x2 <= 2e-4
// Expected: x3 = (1 - 0.3) / 1e-9: the large demands, once fixed, must leave no rounding error in
//           the small one.
TEST(MaxMin, SmallDemandAfterLargeOnes) {
  MaxMin system;
  const auto link = system.add_resource(1);
  system.add_variable(1, 1e-4, std::vector<Share>{{link, 1000}});
  system.add_variable(1, 2e-4, std::vector<Share>{{link, 1000}});
  const auto x3 = system.add_variable(1, MaxMin::kUnlimited, std::vector<Share>{{link, 1e-9}});
  system.solve();
  EXPECT_NEAR(system.rate(x3), 0.7e9, 0.7e9 * 1e-12);
}

// The same object solves one system after another, without any trace of the earlier ones.
TEST(MaxMin, ClearedSystemStartsAfresh) {
  MaxMin system;
  for (const double capacity : {10.0, 4.0}) {
    system.clear();
    const auto link = system.add_resource(capacity);
    const auto x = system.add_variable(2, MaxMin::kUnlimited, std::vector<Share>{{link, 1}});
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate(x), capacity / 2);
  }
}

struct RandomSystem {
  struct Variable {
    double weight;
    double limit;
    std::vector<Share> shares;
  };
  std::vector<double> capacities;
  std::vector<Variable> variables;

  explicit RandomSystem(std::mt19937_64& random) {
    const auto pick = [&](std::uint64_t n) { return random() % n; };
    capacities.resize(1 + pick(8));
    for (double& capacity : capacities) capacity = 1.0 + static_cast<double>(pick(20));
    variables.resize(1 + pick(12));
    for (Variable& variable : variables) {
      variable.weight = static_cast<double>(1 + pick(4));
      variable.limit = pick(3) == 0 ? 0.25 * static_cast<double>(1 + pick(12)) : MaxMin::kUnlimited;
      for (std::uint32_t r = 0; r < capacities.size(); ++r) {
        if (pick(3) == 0) variable.shares.push_back({r, 0.5 * static_cast<double>(1 + pick(6))});
      }
      if (variable.shares.empty()) variable.shares.push_back({0, 1});
    }
  }
};

// Checks the definition in the header: no resource is overloaded, and each variable is at its limit
// or uses a saturated resource on which no other variable is faster.
void expect_max_min_fair(const RandomSystem& random, const std::vector<double>& rates) {
  constexpr double kSlack = 1e-9;
  std::vector<double> load(random.capacities.size(), 0.0);
  std::vector<double> fastest(random.capacities.size(), 0.0);
  for (std::size_t v = 0; v < rates.size(); ++v) {
    for (const Share& share : random.variables[v].shares) {
      load[share.resource] += random.variables[v].weight * share.coefficient * rates[v];
      fastest[share.resource] = std::max(fastest[share.resource], rates[v]);
    }
  }
  for (std::size_t r = 0; r < load.size(); ++r)
    EXPECT_LE(load[r], random.capacities[r] * (1 + kSlack));
  for (std::size_t v = 0; v < rates.size(); ++v) {
    const RandomSystem::Variable& variable = random.variables[v];
    EXPECT_LE(rates[v], variable.limit);
    const bool held =
        std::any_of(variable.shares.begin(), variable.shares.end(), [&](const Share& share) {
          return load[share.resource] >= random.capacities[share.resource] * (1 - kSlack) &&
                 rates[v] >= fastest[share.resource] * (1 - kSlack);
        });
    EXPECT_TRUE(held || rates[v] >= variable.limit)
        << "variable " << v << " could go faster than " << rates[v];
  }
}

TEST(MaxMin, RandomSystemsAreMaxMinFair) {
  std::mt19937_64 random(1);
  MaxMin system;
  for (int trial = 0; trial < 2000; ++trial) {
    const RandomSystem random_system(random);
    system.clear();
    for (const double capacity : random_system.capacities) system.add_resource(capacity);
    for (const auto& variable : random_system.variables)
      system.add_variable(variable.weight, variable.limit, variable.shares);
    system.solve();
    std::vector<double> rates;
    rates.reserve(random_system.variables.size());
    for (std::uint32_t v = 0; v < random_system.variables.size(); ++v)
      rates.push_back(system.rate(v));
    expect_max_min_fair(random_system, rates);
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

}  // namespace
}  // namespace paceline
