// SPDX-License-Identifier: MIT
// The requirements on every distribution, tested on each row of the table: a new row needs one
// example.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"

namespace paceline {
namespace {

struct Example {
  std::string text;
  std::vector<double> first_draws;  ///< seconds: seed 1, repeat 0, worker 0, steps 0 to 2; pinned
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.text;
}

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"{kind: constant, value: 20 ms}", {0.02, 0.02, 0.02}},
      {"{kind: uniform, low: 10 ms, high: 30 ms}",
       {0.02789369432670185, 0.027482238703742612, 0.02113000466137846}},
      {"{kind: exponential, mean: 20 ms}",
       {0.045015934527167303, 0.041447242827403689, 0.016261160055089027}},
      {"{kind: shifted-exponential, shift: 80 ms, mean: 100 ms}",
       {0.12501593452716731, 0.1214472428274037, 0.096261160055089029}},
      {"{kind: gamma, mean: 20 ms, cv: 0.3}",
       {0.027748740464263188, 0.026966793266671615, 0.020253050686862603}},
      {"{kind: gamma, mean: 20 ms, cv: 1.5}",
       {0.053621461285778611, 0.047572120197845166, 0.010749102460579155}},
      {"{kind: lognormal, mean: 20 ms, cv: 0.5}",
       {0.03231406169095162, 0.030738948422715417, 0.01913055293109794}},
      {"{kind: pareto, minimum: 10 ms, shape: 6}",
       {0.014551846324482658, 0.014125459157395097, 0.011451202658025272}},
      {"{kind: normal, mean: 20 ms, deviation: 5 ms}",
       {0.026258589170863118, 0.02572965676318739, 0.02071001779548006}},
      {"{kind: normal, mean: 20 ms, deviation: 60 ms}",
       {0.04420458381907631, 0.041028785134249915, 0.017131684471495774}},
      {"{kind: weibull, scale: 20 ms, shape: 2}",
       {0.030005311038936857, 0.028791402476226715, 0.01803394579956867}},
      {"{kind: weibull, scale: 20 ms, shape: 0.7}",
       {0.06373346510346403, 0.0566400699663639, 0.014881002159796075}},
      {"{kind: mixture, parts: [{share: 90 %, time: {kind: gamma, mean: 10 ms, cv: 0.2}}, "
       "{share: 10 %, time: {kind: exponential, mean: 60 ms}}]}",
       {0.012564116805859655, 0.012319423814523136, 0.010151671558767353}},
      {"{kind: empirical, file: '" + std::string(PACELINE_SOURCE_DIR) +
           "/tests/training/workload/stragglers/times.csv'}",
       {0.03203216703728566, 0.029460055255121947, 0.020173595177724876}},
      {"{kind: markov, usual: {kind: lognormal, mean: 10 ms, cv: 0.2}, slow: {kind: gamma, mean: "
       "40 ms, cv: 0.5}, enter: 5 %, leave: 20 %}",
       {0.06597481520585008, 0.06306354881651764, 0.039489849746370764}},
  };
  return all;
}

class StragglerFamily : public testing::TestWithParam<Example> {
 protected:
  const Choice<Straggler> straggler_ = read_straggler(GetParam().text);
};
INSTANTIATE_TEST_SUITE_P(Stragglers, StragglerFamily, testing::ValuesIn(examples()),
                         [](const auto& row) { return "example_" + std::to_string(row.index); });

TEST(Stragglers, every_row_has_an_example) {
  for (const std::string& name : family<Straggler>().names()) {
    bool found = false;
    for (const Example& example : examples()) found |= read_straggler(example.text).kind() == name;
    EXPECT_TRUE(found) << name;
  }
}

TEST_P(StragglerFamily, first_draws_are_pinned) {
  ASSERT_EQ(GetParam().first_draws.size(), 3U);
  for (std::uint64_t step = 0; step < 3; ++step) {
    EXPECT_NEAR(straggler_->draw({1, 0, 0, step}).value() / GetParam().first_draws[step], 1, 1e-13);
  }
}

// A constant has no inverse; for all others the quantile and the cdf must invert each other.
TEST_P(StragglerFamily, quantile_and_cdf_are_inverse) {
  if (straggler_->shape().low == straggler_->shape().high) return;
  for (const double u : {0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999}) {
    const Seconds time = straggler_->quantile(u);
    EXPECT_NEAR(straggler_->cdf(time), u, 1e-13);
    EXPECT_NEAR(straggler_->survival(time), 1 - u, 1e-13);
    EXPECT_NEAR(straggler_->upper_quantile(1 - u) / time, 1, 1e-12);
  }
}

// Far out, where 1 - share rounds to 1, an unbounded tail must keep its precision.
TEST_P(StragglerFamily, the_far_tail_is_exact) {
  if (std::isfinite(straggler_->shape().high.value())) return;
  for (const double share : {1e-9, 1e-18, 1e-100, 1e-300}) {
    EXPECT_NEAR(straggler_->survival(straggler_->upper_quantile(share)) / share, 1, 1e-10);
  }
}

TEST_P(StragglerFamily, quantile_rises_within_the_support) {
  const StragglerShape shape = straggler_->shape();
  Seconds last = shape.low;
  for (int i = 1; i < 1000; ++i) {
    const Seconds time = straggler_->quantile(i / 1000.0);
    EXPECT_GE(time, last);
    EXPECT_LE(time, shape.high);
    last = time;
  }
  EXPECT_GE(shape.low, Seconds{0});
  EXPECT_EQ(straggler_->cdf(shape.low - Seconds{1e-6}), 0);
  EXPECT_EQ(straggler_->survival(shape.low - Seconds{1e-6}), 1);
}

/// One draw of each of `n` workers, which are independent for every distribution.
std::vector<double> draws(const Straggler& straggler, int n) {
  std::vector<double> times;
  for (int i = 0; i < n; ++i) {
    times.push_back(straggler.draw({5, 1, static_cast<std::uint32_t>(i), 2}).value());
  }
  return times;
}

// The mean within 5 standard errors, cv / sqrt(n) of the mean; the deviation within 5 %, given the
// fourth moments of these examples.
TEST_P(StragglerFamily, sample_mean_and_cv_are_those_stated) {
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  for (const double time : draws(*straggler_, n)) {
    const double ratio = time / straggler_->mean().value();
    sum += ratio;
    squares += (ratio - 1) * (ratio - 1);
  }
  EXPECT_NEAR(sum / n, 1, 5 * straggler_->cv() / std::sqrt(n) + 1e-12);
  EXPECT_NEAR(std::sqrt(squares / n), straggler_->cv(), 0.05 * straggler_->cv() + 1e-12);
}

// Kolmogorov-Smirnov: sqrt(n) times the largest difference exceeds 1.95 once in a thousand tests.
TEST_P(StragglerFamily, draws_follow_the_cdf) {
  if (straggler_->shape().low == straggler_->shape().high) return;
  std::vector<double> times = draws(*straggler_, 20000);
  std::sort(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  double distance = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double share = straggler_->cdf(Seconds{times[i]});
    distance = std::max(
        {distance, share - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - share});
  }
  EXPECT_LT(std::sqrt(n) * distance, 1.95);
}

// The moments as integrals of the quantile; the rule converges slowly where it has corners.
TEST_P(StragglerFamily, mean_and_cv_are_integrals_of_the_quantile) {
  boost::math::quadrature::tanh_sinh<double> rule;
  const double mean = straggler_->mean().value();
  const auto ratio = [&](double u, double rest) {  // `rest`: to the nearer end, negative below 1/2
    return (rest > 0 ? straggler_->upper_quantile(rest) : straggler_->quantile(u)).value() / mean;
  };
  const double tolerance = straggler_->corners().empty() ? 1e-8 : 1e-4;
  EXPECT_NEAR(rule.integrate(ratio, 0.0, 1.0), 1, tolerance);
  const double squares = rule.integrate(
      [&](double u, double rest) { return ratio(u, rest) * ratio(u, rest); }, 0.0, 1.0);
  EXPECT_NEAR(squares, 1 + straggler_->cv() * straggler_->cv(), 2 * tolerance);
}

TEST_P(StragglerFamily, the_longest_of_one_draw_is_the_draw) {
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Draw at{1, 0, 3, step};
    EXPECT_EQ(straggler_->longest(at, 1), straggler_->draw(at));
  }
}

// The longest of n draws is at most t with the chance F(t)^n: of a uniform number u it is the time
// that all draws but the share 1 - u^(1/n) stay below, also of two million. Near the end of a law
// that has one, a time is rounded to 1e-16 of itself, and the share by as much.
TEST_P(StragglerFamily, the_longest_of_many_draws_is_of_the_power_of_the_cdf) {
  if (straggler_->shape().low == straggler_->shape().high) return;
  const bool ends = std::isfinite(straggler_->shape().high.value());
  for (const int n : {2, 64, 4096, 2097152}) {
    const double tolerance = 1e-10 + (ends ? 1e-15 * n : 0);
    for (std::uint64_t step = 0; step < 20; ++step) {
      const Draw at{1, 0, 3, step};
      const double share = straggler_->survival(straggler_->longest(at, n));
      EXPECT_NEAR(std::exp(n * std::log1p(-share)), at.uniform(Purpose::straggler), tolerance) << n;
    }
  }
}

// A distribution that is written and read back is the same.
TEST_P(StragglerFamily, survives_writing_and_reading) {
  const Tree written = Value<Choice<Straggler>>::write(straggler_);
  const Choice<Straggler> again = read_straggler(to_flow(written));
  EXPECT_EQ(again.kind(), straggler_.kind());
  EXPECT_EQ(again->quantile(0.6), straggler_->quantile(0.6));
  EXPECT_EQ(again->applies, straggler_->applies);
}

}  // namespace
}  // namespace paceline
