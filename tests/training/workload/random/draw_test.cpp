// SPDX-License-Identifier: MIT
#include "training/workload/random/draw.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

// Pinned: a change here changes every published result.
TEST(Draw, first_values_are_pinned) {
  EXPECT_EQ(uniform(1, 0, Purpose::straggler, 0, 0), 0x1.ca141d79c7d01p-1);
  EXPECT_EQ(uniform(1, 0, Purpose::straggler, 0, 1), 0x1.bf8b997d58103p-1);
  EXPECT_EQ(uniform(1, 0, Purpose::straggler, 1, 0), 0x1.0a0992d81c1c6p-2);
  EXPECT_EQ(uniform(1, 0, Purpose::input, 0, 0), 0x1.b026fdc99d319p-1);
  EXPECT_EQ(uniform(1, 1, Purpose::straggler, 0, 0), 0x1.e047488127be8p-4);
  EXPECT_EQ(uniform(2, 0, Purpose::straggler, 0, 0), 0x1.fd36fffdb3a86p-2);
}

// 52 random bits: the smallest number is 2^-53, the largest 1 - 2^-53, both exact.
TEST(Draw, lies_strictly_between_0_and_1) {
  EXPECT_EQ(to_open_unit(0), 0x1p-53);
  EXPECT_EQ(to_open_unit(~std::uint64_t{0}), 1 - 0x1p-53);
  for (std::uint64_t step = 0; step < 10000; ++step) {
    const double u = uniform(3, 0, Purpose::straggler, 0, step);
    EXPECT_GT(u, 0);
    EXPECT_LT(u, 1);
  }
}

TEST(Draw, each_argument_makes_another_draw) {
  const std::uint64_t far = std::uint64_t{1} << 40;
  std::set<double> seen;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, far}) {
    for (const std::uint32_t repeat : {0U, 1U, 2U}) {
      for (const Purpose purpose : {Purpose::straggler, Purpose::input, Purpose::noise}) {
        for (const std::uint32_t worker : {0U, 1U, 1023U}) {
          for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, far}) {
            seen.insert(uniform(seed, repeat, purpose, worker, step));
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 3U * 3 * 3 * 3 * 3);
}

// Mean 1/2 and variance 1/12 of n draws, and no correlation of workers' draws, within 4 standard
// errors.
TEST(Draw, is_uniform_and_workers_are_independent) {
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  double product = 0;
  std::vector<int> tenths(10, 0);
  for (std::uint64_t step = 0; step < n; ++step) {
    const double u = uniform(7, 0, Purpose::straggler, 0, step);
    const double v = uniform(7, 0, Purpose::straggler, 1, step);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
    product += (u - 0.5) * (v - 0.5);
    ++tenths[static_cast<std::size_t>(u * 10)];
  }
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(squares / n, 1.0 / 12, 4 * std::sqrt(1.0 / 180) / root);
  EXPECT_NEAR(product / n, 0, 4 * (1.0 / 12) / root);
  double chi2 = 0;
  for (const int count : tenths) chi2 += (count - n / 10.0) * (count - n / 10.0) / (n / 10.0);
  EXPECT_LT(chi2, 27.9);  // 9 degrees of freedom, p = 0.001
}

}  // namespace
}  // namespace paceline
