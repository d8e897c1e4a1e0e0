// SPDX-License-Identifier: MIT
#include "training/profile/exchange_profile.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// Copies and sums of `gigabytes` GB/s, alone and together.
MemoryRates row(double touched, double gigabytes) {
  const BytesPerSecond rate{gigabytes * 1e9};
  return {Bytes{touched}, rate, rate / 2, rate / 4, rate / 8};
}

TEST(ExchangeProfileTest, BetweenTwoRowsTimesLieOnALineOverTheLogarithm) {
  ExchangeProfile profile;
  profile.memory = {row(1024, 40), row(4096, 10)};
  // halfway: (1/40 + 1/10) / 2 = 1/16
  const MemoryRates rates = profile.at(Bytes{2048});
  EXPECT_DOUBLE_EQ(rates.copy.value(), 16e9);
  EXPECT_DOUBLE_EQ(rates.sum.value(), 8e9);
  EXPECT_DOUBLE_EQ(rates.copies.value(), 4e9);
  EXPECT_DOUBLE_EQ(rates.sums.value(), 2e9);
}

TEST(ExchangeProfileTest, OutsideTheTableItsEndsCount) {
  ExchangeProfile profile;
  profile.memory = {row(1024, 40), row(4096, 10)};
  EXPECT_EQ(profile.at(Bytes{4}).copy, BytesPerSecond{40e9});
  EXPECT_EQ(profile.at(Bytes{1024}).copy, BytesPerSecond{40e9});
  EXPECT_EQ(profile.at(Bytes{4096}).copy, BytesPerSecond{10e9});
  EXPECT_EQ(profile.at(Bytes{1e9}).sums, BytesPerSecond{10e9 / 8});
}

}  // namespace
}  // namespace paceline
