// SPDX-License-Identifier: MIT
#include "training/theory/order_statistic.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/training/stragglers/example.hpp"
#include "training/theory/unequal_workers.hpp"

namespace paceline {
namespace {

const std::vector<std::pair<int, int>>& cases() {
  static const std::vector<std::pair<int, int>> all = {
      {1, 1}, {1, 8}, {4, 8}, {8, 8}, {2, 3}, {1, 1024}, {512, 1024}, {1024, 1024}};
  return all;
}

double harmonic(int n) {
  double sum = 0;
  for (int i = n; i >= 1; --i) sum += 1.0 / i;
  return sum;
}

double expected(const Choice<Straggler>& straggler, int k, int n, double arithmetic = 0) {
  const StepTime x(Seconds{arithmetic}, straggler.part().get());
  return expected_order_statistic(x, k, n).value().value();
}

// H_n - H_{n-k}, from one draw to 1024.
TEST(OrderStatistic, exponential_has_harmonic_numbers) {
  const auto exponential = read_straggler("{kind: exponential, mean: 1 s}");
  for (const auto& [k, n] : cases()) {
    EXPECT_NEAR(expected(exponential, k, n) / (harmonic(n) - harmonic(n - k)), 1, 1e-11);
    EXPECT_NEAR(expected(exponential, k, n, 2.5) - expected(exponential, k, n), 2.5, 1e-9);
  }
}

TEST(OrderStatistic, uniform_is_equally_spaced) {
  const auto uniform = read_straggler("{kind: uniform, low: 1 s, high: 3 s}");
  for (const auto& [k, n] : cases()) {
    EXPECT_NEAR(expected(uniform, k, n), 1 + 2.0 * k / (n + 1), 1e-11);
  }
}

// Down to the shape at which the expectation stops to exist, 1 / (n-k+1), and not beyond.
TEST(OrderStatistic, pareto_holds_up_to_where_it_exists) {
  for (const double shape : {0.2, 0.5, 1.0, 1.001, 1.1, 3.0}) {
    const auto pareto =
        read_straggler("{kind: pareto, minimum: 1 s, shape: " + std::to_string(shape) + "}");
    for (const auto& [k, n] : cases()) {
      const StepTime x(Seconds{0}, pareto.part().get());
      const auto found = expected_order_statistic(x, k, n);
      ASSERT_EQ(found.has_value(), shape * (n - k + 1) > 1) << shape << ": " << k << " of " << n;
      if (!found) continue;
      const double closed = std::exp(std::lgamma(n + 1) + std::lgamma(n - k + 1 - 1 / shape) -
                                     std::lgamma(n - k + 1) - std::lgamma(n + 1 - 1 / shape));
      EXPECT_NEAR(found->value() / closed, 1, 1e-10) << shape << ": " << k << " of " << n;
    }
  }
}

// The one draw of n = 1 is the mean, for every spread that the keys allow.
TEST(OrderStatistic, one_of_one_is_the_mean) {
  for (const std::string kind : {"gamma", "lognormal"}) {
    for (const std::string cv : {"0.001", "0.1", "1", "3", "10"}) {
      const auto draw = read_straggler("{kind: " + kind + ", mean: 1 s, cv: " + cv + "}");
      EXPECT_NEAR(expected(draw, 1, 1), 1, 1e-11) << kind << " cv " << cv;
    }
  }
}

// E[max(c, D)] = c + e^-c for an exponential D of mean 1: the corner of `total` costs no digits.
TEST(OrderStatistic, total_is_padded_up_to_the_draw) {
  const auto total = read_straggler("{kind: exponential, mean: 1 s, applies: total}");
  for (const double c : {0.001, 0.5, 3.0, 30.0}) {
    const StepTime x(Seconds{c}, total.part().get());
    EXPECT_NEAR(x.mean().value().value(), c + std::exp(-c), 1e-12 * (1 + c));
  }
}

TEST(OrderStatistic, without_chance_all_end_together) {
  EXPECT_EQ(expected(read_straggler("{kind: constant, value: 1 s}"), 3, 8, 0.5), 1.5);
  EXPECT_EQ(expected_order_statistic(StepTime(Seconds{2}, nullptr), 8, 8), Seconds{2});
}

// The method for unequal workers, an integral over time, must agree with that for equal ones, an
// integral over shares, when its groups are alike.
TEST(UnequalWorkers, agree_with_equal_ones_when_alike) {
  for (const std::string text :
       {"{kind: uniform, low: 1 s, high: 3 s}", "{kind: exponential, mean: 1 s}",
        "{kind: gamma, mean: 1 s, cv: 0.01}", "{kind: gamma, mean: 1 s, cv: 3}",
        "{kind: lognormal, mean: 1 s, cv: 2}", "{kind: pareto, minimum: 1 s, shape: 1.05}",
        "{kind: exponential, mean: 1 s, applies: total}"}) {
    const auto draw = read_straggler(text);
    const StepTime x(Seconds{1}, draw.part().get());
    for (const auto& [k, n] : {std::pair{1, 2}, {2, 2}, {1, 9}, {5, 9}, {9, 9}, {64, 64}}) {
      const std::vector<AlikeWorkers> groups = {{x, n / 2}, {x, n - n / 2}};
      const auto split = expected_time_of_first(k, groups);
      const auto whole = expected_order_statistic(x, k, n);
      EXPECT_NEAR(split.value() / whole.value(), 1, 1e-8) << text << ": " << k << " of " << n;
    }
  }
}

// Arithmetic of 1 s and 3 s and Exp(1) on top. E[max] = 3 + 1 + the mean time by which the slower
// beginner is overtaken: with A = 1 + E1, B = 3 + E2, E[max] = E[B] + E[(A - B)+] = 4 + e^-2 / 2.
TEST(UnequalWorkers, two_shifted_exponentials_by_hand) {
  const auto draw = read_straggler("{kind: exponential, mean: 1 s}");
  const std::vector<AlikeWorkers> groups = {{StepTime(Seconds{1}, draw.part().get()), 1},
                                            {StepTime(Seconds{3}, draw.part().get()), 1}};
  const double overtaken = std::exp(-2.0) / 2;
  EXPECT_NEAR(expected_time_of_first(2, groups).value().value(), 4 + overtaken, 1e-9);
  EXPECT_NEAR(expected_time_of_first(1, groups).value().value(), 2 - overtaken, 1e-9);
}

// Without chance: the k-th in the order of their times.
TEST(UnequalWorkers, without_chance_they_end_in_their_order) {
  const std::vector<AlikeWorkers> groups = {{StepTime(Seconds{1}, nullptr), 3},
                                            {StepTime(Seconds{1.5}, nullptr), 2},
                                            {StepTime(Seconds{4}, nullptr), 1}};
  EXPECT_NEAR(expected_time_of_first(3, groups).value().value(), 1, 1e-12);
  EXPECT_NEAR(expected_time_of_first(4, groups).value().value(), 1.5, 1e-12);
  EXPECT_NEAR(expected_time_of_first(6, groups).value().value(), 4, 1e-12);
}

}  // namespace
}  // namespace paceline
