// SPDX-License-Identifier: MIT
// Fits to draws of known distributions, 20,000 of each, drawn as workers draw them.
#include "training/workload/fit/fit.hpp"

#include <cmath>
#include <map>
#include <string>

#include <boost/math/special_functions/trigamma.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"

namespace paceline {
namespace {

constexpr int kDraws = 20000;
const double kRoot = std::sqrt(static_cast<double>(kDraws));

TimeSample draws_of(const std::string& text) {
  const auto straggler = read_straggler(text);
  std::vector<double> times;
  for (std::uint64_t step = 0; step < kDraws; ++step) {
    times.push_back(straggler->draw({4, 0, 0, step}).value());
  }
  return TimeSample(std::move(times));
}

Fits fits_of(const std::string& text) {
  return fit_families(draws_of(text), Applies::total);
}

const Fit& find(const Fits& fits, const std::string& kind) {
  for (const Fit& fit : fits.ranked) {
    if (fit.straggler.kind() == kind) return fit;
  }
  throw std::out_of_range(kind);
}

/// The value of a key, a time in seconds or a number.
double key_of(const Fit& fit, const std::string& key) {
  const Tree keys = fit.straggler.row()->write(*fit.straggler);
  Diagnostics none;
  double number = 0;
  if (Value<double>::read(number, *keys.find(key), none)) return number;
  Seconds time;
  Value<Seconds>::read(time, *keys.find(key), none);
  return time.value();
}

/// A distribution, its keys, and the standard errors of their estimates by Fisher's information.
struct Known {
  std::string text;
  std::map<std::string, std::pair<double, double>> keys;  ///< value, standard error
};

std::vector<Known> known() {
  const double alpha = 1 / 0.09;  // gamma of cv 0.3
  const double alpha_error = 1 / (kRoot * std::sqrt(boost::math::trigamma(alpha) - 1 / alpha));
  const double log_variance = std::log(1.25);  // lognormal of cv 0.5
  return {
      {"{kind: normal, mean: 20 ms, deviation: 4 ms}",
       {{"mean", {0.02, 0.004 / kRoot}}, {"deviation", {0.004, 0.004 / std::sqrt(2) / kRoot}}}},
      {"{kind: exponential, mean: 20 ms}", {{"mean", {0.02, 0.02 / kRoot}}}},
      {"{kind: shifted-exponential, shift: 80 ms, mean: 100 ms}",
       {{"shift", {0.08, 0.02 / kDraws}}, {"mean", {0.1, 0.02 / kRoot}}}},
      {"{kind: gamma, mean: 20 ms, cv: 0.3}",
       {{"mean", {0.02, 0.006 / kRoot}}, {"cv", {0.3, 0.5 * std::pow(alpha, -1.5) * alpha_error}}}},
      {"{kind: lognormal, mean: 20 ms, cv: 0.5}",
       {{"mean", {0.02, 0.02 * std::sqrt(log_variance + log_variance * log_variance / 2) / kRoot}},
        {"cv", {0.5, 1.25 * log_variance * std::sqrt(2) / kRoot}}}},
      {"{kind: weibull, scale: 20 ms, shape: 2}",
       {{"scale", {0.02, 1.053 * 0.02 / 2 / kRoot}}, {"shape", {2, 0.78 * 2 / kRoot}}}},
      {"{kind: pareto, minimum: 10 ms, shape: 3}",
       {{"minimum", {0.01, 0.01 / 3 / kDraws}}, {"shape", {3, 3 / kRoot}}}},
      {"{kind: uniform, low: 10 ms, high: 30 ms}",
       {{"low", {0.01, 0.02 / kDraws}}, {"high", {0.03, 0.02 / kDraws}}}},
  };
}

TEST(Fit, finds_the_parameters_within_three_standard_errors) {
  for (const Known& row : known()) {
    const Fits fits = fits_of(row.text);
    const Fit& own = find(fits, read_straggler(row.text).kind());
    for (const auto& [key, value] : row.keys) {
      EXPECT_NEAR(key_of(own, key), value.first, 3 * value.second) << row.text << ": " << key;
    }
    EXPECT_LT(kRoot * own.distance, 1.95) << row.text;
  }
}

// The right family must rank first. But an exponential time also fits the shifted exponential,
// Weibull and gamma families, which have one more parameter each: by chance they may gain slightly
// more than its price of 2.
TEST(Fit, ranks_the_right_family_first) {
  for (const Known& row : known()) {
    const Fits fits = fits_of(row.text);
    const std::string own = read_straggler(row.text).kind();
    if (own == "exponential") {
      EXPECT_LT(find(fits, own).aic, fits.ranked.front().aic + 6);
      continue;
    }
    EXPECT_EQ(fits.ranked.front().straggler.kind(), own);
    EXPECT_GT(fits.ranked[1].aic, fits.ranked.front().aic + 10);
  }
}

/// The logarithm of the density of a distribution, by differences of its cdf, summed over the
/// times.
double log_likelihood(const Straggler& straggler, const TimeSample& sample) {
  double sum = 0;
  for (const double time : sample.times()) {
    const double step = 1e-5 * time;
    sum += std::log((straggler.cdf(Seconds{time + step}) - straggler.cdf(Seconds{time - step})) /
                    (2 * step));
  }
  return sum;
}

// The likelihood reported must be that of the distribution found, and no neighbour's may be larger.
TEST(Fit, likelihoods_are_the_largest_ones) {
  const TimeSample sample = draws_of("{kind: gamma, mean: 20 ms, cv: 0.4}");
  for (const Fit& fit : fit_families(sample, Applies::total).ranked) {
    const std::string kind = fit.straggler.kind();
    if (kind == "uniform" || kind == "pareto" || kind == "shifted-exponential")
      continue;  // an edge
    const double expected = fit.log_likelihood;
    EXPECT_NEAR(log_likelihood(*fit.straggler, sample), expected, 1e-5 * std::abs(expected))
        << kind;
    EXPECT_DOUBLE_EQ(fit.aic, 2 * fit.parameters - 2 * expected);
    Tree keys = Value<Choice<Straggler>>::write(fit.straggler);
    for (Member& key : keys.members) {
      if (key.key == "kind" || key.key == "applies" || key.key == "phase") continue;
      const Tree found = key.value;
      for (const double factor : {0.99, 1.01}) {
        Diagnostics none;
        double number = 0;
        Seconds time;
        if (Value<double>::read(number, found, none)) {
          key.value = Value<double>::write(number * factor);
        } else {
          Value<Seconds>::read(time, found, none);
          key.value = Value<Seconds>::write(time * factor);
        }
        EXPECT_LT(log_likelihood(*read_straggler(to_flow(keys)), sample), expected - 0.05)
            << to_flow(keys);
      }
      key.value = found;
    }
  }
}

// A family with a likelihood without a maximum for these times is refused, and the others are
// fitted.
TEST(Fit, families_that_do_not_fit_are_left_out) {
  std::vector<double> times(50, 0.0);
  for (int i = 0; i < 50; ++i) times.push_back(i * 0.001 * i);
  const Fits fits = fit_families(TimeSample(times), Applies::total);
  EXPECT_THAT(fits.refused,
              testing::IsSupersetOf({"gamma: needs times above 0", "lognormal: needs times above 0",
                                     "weibull: needs times above 0", "pareto: needs times above 0",
                                     "normal: the times spread as far as exponential "
                                     "ones"}));
  EXPECT_EQ(fits.ranked.size(), 3U);
  // Far below the spread that the keys allow.
  const Fits narrow = fit_families(TimeSample({1, 1 + 1e-7, 1 + 2e-7}), Applies::total);
  EXPECT_THAT(narrow.refused, testing::Contains("gamma: 'cv' must be >= 0.001"));
}

}  // namespace
}  // namespace paceline
