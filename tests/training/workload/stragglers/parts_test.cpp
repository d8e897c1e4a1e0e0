// SPDX-License-Identifier: MIT
// Distributions composed of distributions: mixture, and markov with its lasting slow spells.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"
#include "training/workload/stragglers/markov.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

const char* const kJumps =
    "{kind: mixture, parts: [{share: 75 %, time: {kind: constant, value: 1 s}}, "
    "{share: 25 %, time: {kind: uniform, low: 3 s, high: 5 s}}]}";

std::string error_of(const std::string& text) {
  try {
    read_straggler(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

// Three quarters at 1 s, a gap up to 3 s, then a slope: the quantile is the first time at which the
// cdf reaches u.
TEST(Mixture, inverts_jumps_and_gaps) {
  const auto jumps = read_straggler(kJumps);
  EXPECT_EQ(jumps->quantile(0.01), Seconds{1});
  EXPECT_EQ(jumps->quantile(0.75), Seconds{1});
  EXPECT_NEAR(jumps->quantile(0.7501).value(), 3.0008, 1e-12);
  EXPECT_NEAR(jumps->quantile(0.875).value(), 4, 1e-12);
  EXPECT_NEAR(jumps->upper_quantile(0.125).value(), 4, 1e-12);
  EXPECT_EQ(jumps->upper_quantile(0.26), Seconds{1});
  EXPECT_EQ(jumps->cdf(Seconds{0.999}), 0);
  EXPECT_EQ(jumps->cdf(Seconds{1}), 0.75);
  EXPECT_EQ(jumps->cdf(Seconds{2.9}), 0.75);
  EXPECT_EQ(jumps->survival(Seconds{4}), 0.125);
  EXPECT_DOUBLE_EQ(jumps->mean().value(), 1.75);
  // E[X^2] = 0.75 + 0.25 (16 + 4/12)
  EXPECT_NEAR(jumps->cv(), std::sqrt(0.75 + 0.25 * (16 + 1 / 3.0) - 1.75 * 1.75) / 1.75, 1e-14);
  EXPECT_EQ(jumps->shape().low, Seconds{1});
  EXPECT_EQ(jumps->shape().high, Seconds{5});
}

// A mini-batch takes exactly the time that it would take if its part were the only one.
TEST(Mixture, draws_are_those_of_the_parts) {
  const auto usual = read_straggler("{kind: gamma, mean: 10 ms, cv: 0.1}");
  const auto slow = read_straggler("{kind: pareto, minimum: 50 ms, shape: 2.5}");
  const auto mixed = read_straggler(
      "{kind: mixture, parts: [{share: 90 %, time: {kind: gamma, mean: 10 ms, cv: 0.1}}, "
      "{share: 10 %, time: {kind: pareto, minimum: 50 ms, shape: 2.5}}]}");
  int slow_ones = 0;
  for (std::uint64_t step = 0; step < 10000; ++step) {
    const Draw at{7, 0, 3, step};
    const Seconds time = mixed->draw(at);
    const bool is_slow = time == slow->draw(at);
    EXPECT_TRUE(is_slow || time == usual->draw(at));
    slow_ones += is_slow;
  }
  EXPECT_NEAR(slow_ones, 1000, 4 * 30);
}

TEST(Mixture, moments_that_do_not_exist_are_infinite) {
  const auto heavy = read_straggler(
      "{kind: mixture, parts: [{share: 50 %, time: {kind: constant, value: 0 s}}, "
      "{share: 50 %, time: {kind: pareto, minimum: 1 s, shape: 1.5}}]}");
  EXPECT_DOUBLE_EQ(heavy->mean().value(), 1.5);
  EXPECT_FALSE(std::isfinite(heavy->cv()));
  EXPECT_EQ(heavy->shape().index, 1.5);
  EXPECT_EQ(heavy->quantile(0.4), Seconds{0});
}

TEST(Mixture, mistakes_are_named) {
  EXPECT_THAT(error_of("{kind: mixture, parts: [{share: 60 %, time: {kind: constant, value: 1 s}}, "
                       "{share: 30 %, time: {kind: constant, value: 2 s}}]}"),
              HasSubstr("test.yaml:1:24: error: the shares add up to 90 % (they must add up to "
                        "100 %)"));
  EXPECT_THAT(error_of("{kind: mixture, parts: []}"), HasSubstr("the shares add up to 0 %"));
  EXPECT_THAT(error_of("{kind: mixture, parts: [{share: 100 %, time: {kind: constant, value: 1 s, "
                       "applies: total}}]}"),
              HasSubstr("'applies' is for the whole 'mixture', not for a part of it"));
  EXPECT_THAT(error_of("{kind: mixture, parts: [{share: 100 %, time: {kind: markov, usual: {kind: "
                       "constant, value: 1 s}, slow: {kind: constant, value: 1 s}, enter: 1 %, "
                       "leave: 9 %}}]}"),
              HasSubstr("'markov' cannot be part of 'mixture' (allowed: constant, "));
  EXPECT_THAT(
      error_of("{kind: mixture, parts: [{share: 0 %, time: {kind: constant, value: 1 s}}]}"),
      HasSubstr("'share' must be >= 0.0001 %"));
  EXPECT_THAT(error_of("{kind: mixture, parts: [{time: {kind: constant, value: 1 s}}]}"),
              HasSubstr("missing key 'share'"));
}

const char* const kSpells =
    "{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: constant, value: 5 s}, "
    "enter: 2 %, leave: 20 %}";

/// Whether each mini-batch is slow.
std::vector<bool> states(const Straggler& straggler, std::uint32_t worker, std::uint64_t steps) {
  std::vector<bool> slow;
  for (std::uint64_t step = 0; step < steps; ++step) {
    slow.push_back(straggler.draw({1, 0, worker, step}) == Seconds{5});
  }
  return slow;
}

// Slow for 2 / 22 of the mini-batches, for 1 / 20 % of them at a time, over 200,000 mini-batches.
// The number of spells has a deviation of about 1 %.
TEST(Markov, spells_are_as_frequent_and_as_long_as_specified) {
  const auto markov = read_straggler(kSpells);
  const std::vector<bool> slow = states(*markov, 0, 200000);
  double count = 0;
  double spells = 0;
  for (std::size_t i = 1; i < slow.size(); ++i) {
    count += slow[i];
    spells += slow[i] && !slow[i - 1];
  }
  EXPECT_NEAR(count / 200000, 1 / 11.0, 0.003);
  EXPECT_NEAR(count / spells, 5, 0.25);
  EXPECT_NEAR(spells / 200000, 10 / 11.0 * 0.02, 0.001);
}

// At every step, including the first, a worker is slow with the long-run share.
TEST(Markov, every_step_has_the_share_of_the_long_run) {
  const auto markov = read_straggler(kSpells);
  for (const std::uint64_t step : {0U, 1U, 40U}) {
    double count = 0;
    for (std::uint32_t worker = 0; worker < 40000; ++worker) {
      count += markov->draw({1, 0, worker, step}) == Seconds{5};
    }
    EXPECT_NEAR(count / 40000, 1 / 11.0, 4 * 0.0015) << step;
  }
}

// The state is found by walking back from the step, and must agree with walking forward from the
// first step, as it is defined; also where a change of state is more likely than none.
TEST(Markov, walks_back_to_what_walking_forward_finds) {
  for (const auto& [enter, leave] : {std::pair{0.02, 0.2}, {0.9, 0.8}, {0.3, 1.0}, {0.999, 1.0}}) {
    const auto markov = read_straggler(
        "{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: constant, value: 5 s}, "
        "enter: " +
        print_number(enter * 100) + " %, leave: " + print_number(leave * 100) + " %}");
    const std::vector<bool> found = states(*markov, 4, 3000);
    bool slow = Draw{1, 0, 4, 0}.uniform(Purpose::spell) < enter / (enter + leave);
    for (std::uint64_t step = 0; step < 3000; ++step) {
      const double u = Draw{1, 0, 4, step}.uniform(Purpose::spell);
      if (step > 0) slow = u < (slow ? 1 - leave : enter);
      ASSERT_EQ(found[step], slow) << enter << ", " << leave << " at " << step;
    }
  }
}

TEST(Markov, same_draw_in_any_order) {
  const auto markov = read_straggler(kSpells);
  const std::vector<bool> forward = states(*markov, 2, 1000);
  for (std::uint64_t step = 1000; step-- > 0;) {
    EXPECT_EQ(markov->draw({1, 0, 2, step}) == Seconds{5}, forward[step]);
  }
}

// In the long run the distribution is a mixture.
TEST(Markov, is_a_mixture_in_the_long_run) {
  const auto markov = read_straggler(
      "{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: uniform, low: 3 s, high: 5 "
      "s}, enter: 10 %, leave: 30 %}");
  const auto mixture = read_straggler(kJumps);
  for (const double u : {0.1, 0.75, 0.8, 0.99}) {
    EXPECT_NEAR(markov->quantile(u) / mixture->quantile(u), 1, 1e-14) << u;
  }
  EXPECT_DOUBLE_EQ(markov->mean().value(), mixture->mean().value());
  EXPECT_DOUBLE_EQ(markov->cv(), mixture->cv());
  EXPECT_TRUE(markov->shape().lasting);
  EXPECT_FALSE(mixture->shape().lasting);
}

TEST(Markov, mistakes_are_named) {
  EXPECT_THAT(error_of("{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: constant, "
                       "value: 5 s}, enter: 100 %, leave: 100 %}"),
              HasSubstr("'enter' and 'leave' together must be from 0.1 % to 199.9 %"));
  EXPECT_THAT(error_of("{kind: markov, usual: {kind: constant, value: 1 s}, slow: {kind: constant, "
                       "value: 5 s}, enter: 101 %, leave: 20 %}"),
              HasSubstr("'enter' must be <= 100 %"));
  EXPECT_THAT(error_of(std::string("{kind: markov, usual: {kind: constant, value: 1 s}, slow: ") +
                       kSpells + ", enter: 1 %, leave: 20 %}"),
              HasSubstr("'markov' cannot be part of 'markov'"));
}

}  // namespace
}  // namespace paceline
