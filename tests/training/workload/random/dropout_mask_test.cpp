// SPDX-License-Identifier: MIT
#include "training/workload/random/dropout_mask.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

constexpr DropoutDraw kDraw{{17, 4}, 3, 90, 5};

std::vector<bool> mask(const DropoutDraw& draw, double rate, std::uint64_t count) {
  std::vector<bool> flags;
  for (std::uint64_t i = 0; i < count; ++i)
    flags.push_back(keeps(draw, i, dropout_threshold(rate)));
  return flags;
}

double share(const std::vector<bool>& flags) {
  double sum = 0;
  for (const bool one : flags) sum += one ? 1 : 0;
  return sum / static_cast<double>(flags.size());
}

TEST(DropoutMask, KeepsTheShareThatTheRateLeaves) {
  constexpr std::uint64_t kCount = 100'000;
  for (const double rate : {0.1, 0.5, 0.9}) {
    const double error = std::sqrt(rate * (1 - rate) / static_cast<double>(kCount));
    EXPECT_NEAR(share(mask(kDraw, rate, kCount)), 1 - rate, 4 * error) << rate;
  }
}

TEST(DropoutMask, KeepsAllAtARateOfZero) {
  EXPECT_EQ(share(mask(kDraw, 0, 1000)), 1);
  EXPECT_EQ(dropout_scale(0), 1.0f);
  EXPECT_EQ(dropout_scale(0.75), 4.0f);
}

TEST(DropoutMask, FourAtATimeAreTheSame) {
  const std::uint32_t threshold = dropout_threshold(0.5);
  for (std::uint32_t four = 0; four < 200; ++four) {
    const std::array<bool, 4> flags = keeps_four(kDraw, four, threshold);
    for (std::uint32_t k = 0; k < 4; ++k) {
      EXPECT_EQ(flags[k], keeps(kDraw, std::uint64_t{4} * four + k, threshold));
    }
  }
}

// Neighbours within a group of four and across groups, and masks that differ in one argument, are
// independent, so half of them agree, within 4 standard errors.
TEST(DropoutMask, IsIndependentOfNeighboursAndOfOtherDraws) {
  constexpr std::uint64_t kCount = 40'000;
  const double error = 0.5 / std::sqrt(static_cast<double>(kCount));
  const std::vector<bool> here = mask(kDraw, 0.5, kCount);
  for (const std::size_t lag : {1u, 2u, 3u, 4u, 5u}) {
    std::vector<bool> agree;
    for (std::size_t i = 0; i + lag < here.size(); ++i) agree.push_back(here[i] == here[i + lag]);
    EXPECT_NEAR(share(agree), 0.5, 4 * error) << "lag " << lag;
  }
  std::vector<DropoutDraw> others(6, kDraw);
  others[0].key[0] += 1;
  others[1].key[1] += 1;
  others[2].worker += 1;
  others[3].step += 1;
  others[4].step += std::uint64_t{1} << 40;
  others[5].layer += 1;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const std::vector<bool> there = mask(others[k], 0.5, kCount);
    std::vector<bool> agree;
    for (std::size_t i = 0; i < here.size(); ++i) agree.push_back(here[i] == there[i]);
    EXPECT_NEAR(share(agree), 0.5, 4 * error) << "argument " << k;
  }
}

// Pinned: a change here changes the results of every network with dropout.
TEST(DropoutMask, FirstValuesArePinned) {
  EXPECT_EQ(mask(kDraw, 0.5, 8),
            (std::vector<bool>{true, false, false, false, false, true, true, false}));
}

}  // namespace
}  // namespace paceline
