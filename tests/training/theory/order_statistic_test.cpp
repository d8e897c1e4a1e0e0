// SPDX-License-Identifier: MIT
#include "training/theory/order_statistic.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"
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

// H_n - H_{n-k}, for 1 to 1024 draws.
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

// Down to the shape at which the expectation ceases to exist, 1 / (n-k+1), and not below.
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

// The order statistic of one draw is the mean, for every spread that the keys allow.
TEST(OrderStatistic, one_of_one_is_the_mean) {
  for (const std::string kind : {"gamma", "lognormal"}) {
    for (const std::string cv : {"0.001", "0.1", "1", "3", "10"}) {
      const auto draw = read_straggler("{kind: " + kind + ", mean: 1 s, cv: " + cv + "}");
      EXPECT_NEAR(expected(draw, 1, 1), 1, 1e-11) << kind << " cv " << cv;
    }
  }
}

// E[max(c, D)] = c + e^-c for an exponential D of mean 1: the corner of `total` costs no precision.
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

// The first of n is again Weibull: S(t)^n = exp(-n (t / scale)^shape).
TEST(OrderStatistic, first_of_weibulls_is_a_weibull) {
  for (const double shape : {0.3, 0.7, 1.0, 2.0, 30.0}) {
    const auto weibull =
        read_straggler("{kind: weibull, scale: 2 s, shape: " + std::to_string(shape) + "}");
    for (const int n : {1, 8, 1024}) {
      const double closed = 2 * std::tgamma(1 + 1 / shape) * std::pow(n, -1 / shape);
      EXPECT_NEAR(expected(weibull, 1, n) / closed, 1, 1e-10) << shape << " of " << n;
    }
  }
}

// Two constants: the K-th of n is the longer one if at least n-K+1 draws are.
TEST(OrderStatistic, jumps_cost_no_digits) {
  const auto two = read_straggler(
      "{kind: mixture, parts: [{share: 75 %, time: {kind: constant, value: 1 s}}, {share: 25 %, "
      "time: {kind: constant, value: 9 s}}]}");
  for (const double arithmetic : {0.0, 0.3}) {
    EXPECT_NEAR(expected(two, 1, 8, arithmetic), arithmetic + 1 + 8 * std::pow(0.25, 8), 1e-9);
    EXPECT_NEAR(expected(two, 8, 8, arithmetic), arithmetic + 9 - 8 * std::pow(0.75, 8), 1e-9);
    EXPECT_NEAR(expected(two, 7, 8, arithmetic),
                arithmetic + 9 - 8 * (std::pow(0.75, 8) + 8 * 0.25 * std::pow(0.75, 7)), 1e-9);
  }
}

// Two narrow bells far apart, with a cdf that is flat in between without a corner: like two
// constants, except that each narrow bell has its own slowest and fastest draw.
TEST(OrderStatistic, parts_of_different_scales_are_found) {
  const auto bells = read_straggler(
      "{kind: mixture, parts: [{share: 75 %, time: {kind: normal, mean: 1 s, deviation: 1 us}}, "
      "{share: 25 %, time: {kind: gamma, mean: 1000 s, cv: 0.001}}]}");
  EXPECT_NEAR(expected(bells, 1, 1) / 250.75, 1, 1e-8);
  EXPECT_NEAR(expected(bells, 1, 8), 1 + 999 * std::pow(0.25, 8), 0.02);
}

/// E of the k-th smallest of n by brute force, for a time that is uniform between two neighbours of
/// `times`: the k-th smallest of n shares u is Beta(k, n-k+1), and the quantile at u is linear.
double by_hand(const std::vector<double>& times, int k, int n) {
  const auto tail = [k, n](double u) {  // P(U_{k:n} > u), the binomial sum
    double sum = 0;
    for (int j = 0; j < k; ++j) {
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1)) *
             std::pow(u, j) * std::pow(1 - u, n - j);
    }
    return sum;
  };
  double sum = times.front();
  const auto pieces = static_cast<double>(times.size() - 1);
  constexpr int kParts = 400;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double width = (times[i + 1] - times[i]) / kParts;
    for (int part = 0; part < kParts; ++part) {  // Simpson's rule
      const double from = (static_cast<double>(i) + part / double{kParts}) / pieces;
      const double step = 1 / (pieces * kParts);
      sum += width / 6 * (tail(from) + 4 * tail(from + step / 2) + tail(from + step));
    }
  }
  return sum;
}

TEST(OrderStatistic, empirical_agrees_with_brute_force) {
  const std::vector<double> times = {0.003, 0.004, 0.004, 0.0041, 0.005, 0.009, 0.03};
  const TimesFile file(times);
  const auto measured = read_straggler("{kind: empirical, file: " + file.path() + "}");
  for (const auto& [k, n] : {std::pair{1, 1}, {1, 8}, {4, 8}, {8, 8}, {2, 3}, {30, 40}}) {
    EXPECT_NEAR(expected(measured, k, n) / by_hand(times, k, n), 1, 1e-7) << k << " of " << n;
    EXPECT_NEAR(expected(measured, k, n, 0.01) - 0.01, by_hand(times, k, n), 1e-9);
  }
}

// Many measured times: no shortcut of the quadrature is visible. The maximum of n uniform times.
TEST(OrderStatistic, many_measured_times_stay_exact) {
  std::vector<double> times;
  for (int i = 0; i <= 20000; ++i) times.push_back(1 + i / 10000.0);
  const TimesFile file(times);
  const auto measured = read_straggler("{kind: empirical, file: " + file.path() + "}");
  for (const auto& [k, n] : {std::pair{1, 8}, {8, 8}, {512, 1024}}) {
    EXPECT_NEAR(expected(measured, k, n), 1 + 2.0 * k / (n + 1), 1e-8) << k << " of " << n;
  }
}

// A power tail with a share of 1 %, over a constant: the tail decides which expectations exist.
TEST(OrderStatistic, a_heavy_part_makes_a_heavy_whole) {
  const auto heavy = read_straggler(
      "{kind: mixture, parts: [{share: 99 %, time: {kind: constant, value: 1 s}}, {share: 1 %, "
      "time: {kind: pareto, minimum: 1 s, shape: 1}}]}");
  const StepTime x(Seconds{0}, heavy.part().get());
  EXPECT_FALSE(expected_order_statistic(x, 8, 8));
  // Both of two draws exceed t > 1 with probability (0.01 / t)^2; its integral is 0.01^2.
  EXPECT_NEAR(expected(heavy, 1, 2), 1 + 1e-4, 1e-9);
}

// For equal groups, the method for unequal workers (an integral over time) must agree with the
// method for equal workers (an integral over shares).
TEST(UnequalWorkers, agree_with_equal_ones_when_alike) {
  for (const std::string text :
       {"{kind: uniform, low: 1 s, high: 3 s}", "{kind: exponential, mean: 1 s}",
        "{kind: gamma, mean: 1 s, cv: 0.01}", "{kind: gamma, mean: 1 s, cv: 3}",
        "{kind: lognormal, mean: 1 s, cv: 2}", "{kind: pareto, minimum: 1 s, shape: 1.05}",
        "{kind: exponential, mean: 1 s, applies: total}", "{kind: weibull, scale: 1 s, shape: 0.5}",
        "{kind: normal, mean: 1 s, deviation: 0.7 s}",
        "{kind: mixture, parts: [{share: 90 %, time: {kind: constant, value: 0.5 s}}, {share: 10 "
        "%, time: {kind: exponential, mean: 4 s}}], applies: total}"}) {
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

// Arithmetic of 1 s and 3 s, each plus Exp(1). E[max] = 3 + 1 + the mean time by which the worker
// with less arithmetic ends after the other: with A = 1 + E1, B = 3 + E2, E[max] = E[B] +
// E[(A - B)+] = 4 + e^-2 / 2.
TEST(UnequalWorkers, two_shifted_exponentials_by_hand) {
  const auto draw = read_straggler("{kind: exponential, mean: 1 s}");
  const std::vector<AlikeWorkers> groups = {{StepTime(Seconds{1}, draw.part().get()), 1},
                                            {StepTime(Seconds{3}, draw.part().get()), 1}};
  const double overtaken = std::exp(-2.0) / 2;
  EXPECT_NEAR(expected_time_of_first(2, groups).value().value(), 4 + overtaken, 1e-9);
  EXPECT_NEAR(expected_time_of_first(1, groups).value().value(), 2 - overtaken, 1e-9);
}

// Without randomness: the k-th in the order of their times.
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
