// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/stragglers.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using namespace literals;

std::string error_of(const std::string& text) {
  try {
    read_stragglers(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(Stragglers, absence_means_none) {
  const Stragglers none = read_stragglers("{}");
  EXPECT_FALSE(none.compute);
  EXPECT_EQ(none.delay(Phase::forward, {1, 0, 3, 7}, 10.0_ms), Seconds{0});
  EXPECT_EQ(none.slowdown(3), 1);
}

TEST(Stragglers, added_delays_by_the_draw_whatever_the_arithmetic) {
  const Stragglers late = read_stragglers(
      "compute: {kind: shifted-exponential, shift: 80 ms, mean: 100 ms, applies: added}\n"
      "workers: {3: {slowdown: 1.15}}\n");
  EXPECT_GE(late.delay(Phase::forward, {1, 0, 3, 7}, 10.0_ms), 80.0_ms);
  EXPECT_EQ(late.delay(Phase::forward, {1, 0, 3, 7}, 10.0_ms),
            late.delay(Phase::forward, {1, 0, 3, 7}, 500.0_ms));
  EXPECT_EQ(late.slowdown(3), 1.15);
  EXPECT_EQ(late.slowdown(2), 1);
}

// The draw is the whole time: shorter arithmetic is padded up to it, longer arithmetic is not cut.
TEST(Stragglers, total_pads_the_arithmetic_up_to_the_draw) {
  const Stragglers total =
      read_stragglers("compute: {kind: constant, value: 100 ms, applies: total}");
  EXPECT_DOUBLE_EQ(total.delay(Phase::forward, {1, 0, 0, 0}, 30.0_ms).value(), 0.07);
  EXPECT_EQ(total.delay(Phase::forward, {1, 0, 0, 0}, 100.0_ms), Seconds{0});
  EXPECT_EQ(total.delay(Phase::forward, {1, 0, 0, 0}, 130.0_ms), Seconds{0});
}

// The delay is a pure function of its arguments: another order of calls, or a repeated call,
// changes nothing.
TEST(Stragglers, same_arguments_give_the_same_delay_in_any_order) {
  const Stragglers late = read_stragglers("compute: {kind: exponential, mean: 20 ms}");
  const Stragglers copy = late;
  const Seconds first = late.delay(Phase::forward, {9, 2, 5, 1000}, Seconds{0});
  for (std::uint64_t step = 0; step < 100; ++step) {
    late.delay(Phase::forward, {9, 2, 5, step}, Seconds{0});
  }
  EXPECT_EQ(late.delay(Phase::forward, {9, 2, 5, 1000}, Seconds{0}), first);
  EXPECT_EQ(copy.delay(Phase::forward, {9, 2, 5, 1000}, Seconds{0}), first);
  EXPECT_NE(late.delay(Phase::forward, {9, 2, 6, 1000}, Seconds{0}), first);
  EXPECT_NE(late.delay(Phase::forward, {9, 3, 5, 1000}, Seconds{0}), first);
}

TEST(Stragglers, delays_of_links_are_draws_of_their_own) {
  const Stragglers stragglers = read_stragglers(
      "{compute: {kind: exponential, mean: 1 s}, communication: {kind: exponential, mean: 1 s}}");
  const Seconds late = stragglers.link_delay(1, 0, 3, 7);
  EXPECT_EQ(late, stragglers.link_delay(1, 0, 3, 7));
  EXPECT_NE(late, stragglers.delay(Phase::forward, {1, 0, 3, 7}, Seconds{0}));
  EXPECT_NE(late, stragglers.link_delay(1, 0, 4, 7));
  EXPECT_EQ(Stragglers{}.link_delay(1, 0, 3, 7), Seconds{0});
  double sum = 0;
  for (std::uint64_t step = 0; step < 10000; ++step)
    sum += stragglers.link_delay(1, 0, 3, step).value();
  EXPECT_NEAR(sum / 10000, 1, 0.03);  // three standard errors
}

TEST(Stragglers, moments_that_do_not_exist_are_infinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto heavy = read_straggler("{kind: pareto, minimum: 1 s, shape: 1}");
  EXPECT_EQ(heavy->mean().value(), infinite);
  EXPECT_EQ(heavy->cv(), infinite);
  const auto heavier = read_straggler("{kind: pareto, minimum: 1 s, shape: 0.1}");
  EXPECT_TRUE(std::isfinite(heavier->quantile(1 - 0x1p-53).value()));
  const auto light = read_straggler("{kind: pareto, minimum: 1 s, shape: 3}");
  EXPECT_DOUBLE_EQ(light->mean().value(), 1.5);
  EXPECT_DOUBLE_EQ(light->cv(), 1 / std::sqrt(3.0));
}

// At the ends of the keys' ranges, where shape parameters are extreme, quantiles stay finite and
// ordered.
TEST(Stragglers, extreme_spreads_stay_finite) {
  for (const std::string kind : {"gamma", "lognormal"}) {
    for (const std::string cv : {"0.001", "10"}) {
      const auto extreme = read_straggler("{kind: " + kind + ", mean: 1 s, cv: " + cv + "}");
      double last = 0;
      for (const double u : {0x1p-53, 1e-9, 0.1, 0.5, 0.9, 1 - 1e-9, 1 - 0x1p-53}) {
        const double time = extreme->quantile(u).value();
        EXPECT_TRUE(std::isfinite(time)) << kind << " cv " << cv << " at " << u;
        EXPECT_GE(time, last) << kind << " cv " << cv << " at " << u;
        last = time;
      }
    }
  }
}

TEST(Stragglers, a_lognormal_has_either_pair_of_parameters) {
  const auto usual = read_straggler("{kind: lognormal, median: 10 ms, sigma: 0.5}");
  EXPECT_NEAR(usual->quantile(0.5).value(), 0.010, 1e-12);
  EXPECT_NEAR(std::log(usual->quantile(0.8413447460685429) / usual->quantile(0.5)), 0.5, 1e-9)
      << "a deviation above the median";
  EXPECT_NEAR(usual->mean().value(), 0.010 * std::exp(0.125), 1e-12);
  const auto same =
      read_straggler("{kind: lognormal, mean: " + print_number(usual->mean().value()) +
                     " s, cv: " + print_number(usual->cv()) + "}");
  EXPECT_NEAR(same->quantile(0.99) / usual->quantile(0.99), 1, 1e-12);
}

TEST(Stragglers, a_spread_may_be_a_share) {
  for (const std::string kind : {"gamma", "lognormal"}) {
    EXPECT_EQ(read_straggler("{kind: " + kind + ", mean: 1 s, cv: 50 %}")->cv(), 0.5);
    EXPECT_EQ(read_straggler("{kind: " + kind + ", mean: 1 s, cv: 50%}")->cv(), 0.5);
  }
}

TEST(Stragglers, families_have_their_kind_of_aging) {
  const auto aging = [](const std::string& text) { return read_straggler(text)->shape().aging; };
  EXPECT_EQ(aging("{kind: exponential, mean: 1 s}"), Aging::memoryless);
  EXPECT_EQ(aging("{kind: shifted-exponential, shift: 0 s, mean: 1 s}"), Aging::memoryless);
  EXPECT_EQ(aging("{kind: shifted-exponential, shift: 1 s, mean: 2 s}"), Aging::new_longer);
  EXPECT_EQ(aging("{kind: gamma, mean: 1 s, cv: 0.5}"), Aging::new_longer);
  EXPECT_EQ(aging("{kind: gamma, mean: 1 s, cv: 1}"), Aging::memoryless);
  EXPECT_EQ(aging("{kind: gamma, mean: 1 s, cv: 2}"), Aging::neither);
  EXPECT_EQ(aging("{kind: weibull, scale: 1 s, shape: 2}"), Aging::new_longer);
  EXPECT_EQ(aging("{kind: weibull, scale: 1 s, shape: 1}"), Aging::memoryless);
  EXPECT_EQ(aging("{kind: weibull, scale: 1 s, shape: 0.5}"), Aging::neither);
  EXPECT_EQ(aging("{kind: normal, mean: 1 s, deviation: 2 s}"), Aging::new_longer);
  EXPECT_EQ(aging("{kind: lognormal, mean: 1 s, cv: 0.5}"), Aging::neither);
}

// A normal curve that reaches 0 is cut off there, so its mean is above its location. The key is the
// mean.
TEST(Stragglers, a_normal_mean_is_that_of_the_draws) {
  const auto far = read_straggler("{kind: normal, mean: 100 ms, deviation: 5 ms}");
  EXPECT_DOUBLE_EQ(far->quantile(0.5).value(), 0.1);
  EXPECT_DOUBLE_EQ(far->cv(), 0.05);
  // Half a bell, location 0: mean s sqrt(2 / pi), variance s^2 (1 - 2 / pi).
  const double half = std::sqrt(2 / std::numbers::pi);
  const auto near =
      read_straggler("{kind: normal, mean: " + print_number(half) + " s, deviation: 1 s}");
  EXPECT_NEAR(near->cdf(Seconds{1}), std::erf(1 / std::numbers::sqrt2), 1e-14);
  EXPECT_NEAR(near->cv(), std::sqrt(1 - half * half) / half, 1e-13);
  EXPECT_EQ(near->survival(Seconds{0}), 1);
}

// The clock counts 2^63 ps, 106 days. A delay of days would leave no room for others.
TEST(Stragglers, a_delay_beyond_the_clock_is_an_error) {
  const Stragglers heavy = read_stragglers("compute: {kind: pareto, minimum: 1 s, shape: 0.1}");
  int refused = 0;
  for (std::uint64_t step = 0; step < 50; ++step) {
    try {
      EXPECT_LE(heavy.delay(Phase::forward, {1, 0, 0, step}, Seconds{0}), kLongestDelay);
    } catch (const std::runtime_error& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("is longer than the clock can count"));
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 50);
  const Stragglers constant = read_stragglers("compute: {kind: constant, value: 1e6 s}");
  EXPECT_EQ(constant.delay(Phase::forward, {1, 0, 0, 0}, Seconds{0}), kLongestDelay);
}

TEST(Failures, a_life_is_exponential_and_its_own) {
  const Stragglers mortal = read_stragglers("failures: {every: 60 s, restart: 2 s}");
  const Failures& failures = mortal.failures.value();
  EXPECT_EQ(failures.restart, Seconds{2});
  double sum = 0;
  constexpr int kLives = 20000;
  for (std::uint64_t life = 0; life < kLives; ++life) {
    sum += failures.time_to_failure(3, 1, 2, life).value();
  }
  EXPECT_NEAR(sum / kLives, 60, 4 * 60 / std::sqrt(kLives));
  EXPECT_EQ(failures.time_to_failure(3, 1, 2, 7), failures.time_to_failure(3, 1, 2, 7));
  EXPECT_NE(failures.time_to_failure(3, 1, 2, 7), failures.time_to_failure(3, 1, 2, 8));
  EXPECT_NE(failures.time_to_failure(3, 1, 2, 7), failures.time_to_failure(3, 1, 3, 7));
  EXPECT_FALSE(read_stragglers("failures: {every: 60 s}").failures->restart);
  EXPECT_FALSE(read_stragglers("{}").failures);
}

TEST(Stragglers, mistakes_are_named) {
  EXPECT_THAT(
      error_of("compute: {kind: exponental, mean: 1 s}"),
      HasSubstr("unknown straggler distribution 'exponental' (did you mean 'exponential'?"));
  EXPECT_THAT(error_of("compute: {kind: shifted-exponential, shift: 2 s, mean: 1 s}"),
              HasSubstr("test.yaml:1:10: error: 'mean' must be at least 'shift'"));
  EXPECT_THAT(error_of("compute: {kind: uniform, low: 2 s, high: 1 s}"),
              HasSubstr("'high' must be at least 'low'"));
  EXPECT_THAT(error_of("compute: {kind: exponential, mean: 0 s}"), HasSubstr("'mean' must be > 0"));
  EXPECT_THAT(error_of("compute: {kind: pareto, minimum: 1 s}"), HasSubstr("missing key 'shape'"));
  EXPECT_THAT(error_of("compute: {kind: constant, value: 5}"), HasSubstr("'5' is not a time"));
  EXPECT_THAT(error_of("compute: {kind: weibull, scale: 1 s, shape: 0.01}"),
              HasSubstr("'shape' must be >= 0.1"));
  EXPECT_THAT(error_of("compute: {kind: normal, mean: 1 s, deviation: 11 s}"),
              HasSubstr("test.yaml:1:47: error: 'deviation' must be at most 10 times 'mean'"));
  EXPECT_THAT(error_of("workers: {3: {slowdown: 0}}"), HasSubstr("'slowdown' must be > 0"));
  EXPECT_THAT(error_of("failures: {every: 0 s}"), HasSubstr("'every' must be >= 1 us"));
  EXPECT_THAT(error_of("failures: {every: 1 s, restart: -1 s}"),
              HasSubstr("'restart' must be >= 0 s"));
  EXPECT_THAT(error_of("compute: {kind: constant, value: 5 s, applies: sometimes}"),
              HasSubstr("sometimes"));
}

// A worker's own delay is added to that of all, and is another draw of the same worker and step.
TEST(Stragglers, a_delay_of_one_worker_is_its_own) {
  const Stragglers late = read_stragglers(
      "compute: {kind: exponential, mean: 1 s}\n"
      "workers: {3: {delay: {kind: exponential, mean: 1 s}}}\n");
  const Stragglers all = read_stragglers("compute: {kind: exponential, mean: 1 s}");
  const Seconds other = late.delay(Phase::forward, {1, 0, 2, 7}, Seconds{0});
  EXPECT_EQ(other, all.delay(Phase::forward, {1, 0, 2, 7}, Seconds{0}));
  const Seconds of_all = all.delay(Phase::forward, {1, 0, 3, 7}, Seconds{0});
  const Seconds own = late.delay(Phase::forward, {1, 0, 3, 7}, Seconds{0}) - of_all;
  EXPECT_GT(own, Seconds{0});
  EXPECT_NE(own, of_all);
  EXPECT_TRUE(late.random());
}

TEST(Stragglers, a_time_is_a_constant_delay) {
  const Stragglers late = read_stragglers("compute: 5 ms\nworkers: {1: {delay: 200 ms}}");
  EXPECT_EQ(late.compute.kind(), "constant");
  EXPECT_EQ(late.delay(Phase::forward, {1, 0, 0, 7}, Seconds{0}), 5.0_ms);
  EXPECT_DOUBLE_EQ(late.delay(Phase::forward, {1, 0, 1, 7}, Seconds{0}).value(), 0.205);
  EXPECT_THAT(error_of("workers: {1: {delay: 200 GB}}"), HasSubstr("'200 GB' is not a time"));
  EXPECT_THAT(error_of("workers: {1: {delay: 200}}"), HasSubstr("'200' is not a time"));
}

TEST(Stragglers, a_delay_comes_before_one_pass) {
  const Stragglers late = read_stragglers(
      "compute: {kind: constant, value: 5 ms, phase: backward}\nworkers: {1: {delay: 200 ms}}");
  EXPECT_EQ(late.delay(Phase::forward, {1, 0, 0, 7}, Seconds{0}), Seconds{0});
  EXPECT_EQ(late.delay(Phase::backward, {1, 0, 1, 7}, Seconds{0}), 5.0_ms);
  EXPECT_EQ(late.delay(Phase::forward, {1, 0, 1, 7}, Seconds{0}), 200.0_ms);
  EXPECT_TRUE(late.delays(Phase::forward));
  EXPECT_TRUE(late.delays(Phase::backward));
  EXPECT_FALSE(read_stragglers("workers: {1: {slowdown: 2}}").delays(Phase::forward));
  EXPECT_THAT(error_of("compute: {kind: mixture, parts: [{share: 100 %, time: {kind: constant, "
                       "value: 1 s, phase: backward}}]}"),
              HasSubstr("'phase' is for the whole 'mixture', not for a part of it"));
}

// The mean of the longest of n exponential delays of mean m is m H_n, and its deviation
// m sqrt(sum of 1 / i^2), some m pi / sqrt(6).
TEST(Stragglers, the_longest_delay_of_equal_workers_meets_the_harmonic_number) {
  const Stragglers late = read_stragglers(
      "{compute: {kind: exponential, mean: 1 s}, communication: {kind: exponential, mean: 1 s}}");
  constexpr int kSteps = 20000;
  for (const int workers : {2, 64, 2097152}) {
    double harmonic = 0, delays = 0, of_links = 0;
    for (int i = workers; i >= 1; --i) harmonic += 1.0 / i;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      delays += late.delay(Phase::forward, {1, 0, 0, step}, Seconds{0}, workers).value();
      of_links += late.link_delay(1, 0, 0, step, workers).value();
    }
    const double error = std::numbers::pi / std::sqrt(6.0 * kSteps);
    EXPECT_NEAR(delays / kSteps, harmonic, 4 * error) << workers;
    EXPECT_NEAR(of_links / kSteps, harmonic, 4 * error) << workers;
    EXPECT_NE(delays, of_links);
  }
}

}  // namespace
}  // namespace paceline
