// SPDX-License-Identifier: MIT
#include "sim/costs/memory_contention.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// 10 ms without memory, 10 ms at 40 GB/s, 10 ms at 10 GB/s.
const std::vector<LayerDraw> kLayers{
    {Seconds{0.01}, Bytes{0}}, {Seconds{0.01}, Bytes{0.4e9}}, {Seconds{0.01}, Bytes{0.1e9}}};

double together(double bandwidth) {
  return time_together(kLayers, 4, BytesPerSecond{bandwidth}).value();
}

TEST(MemoryContention, LayersInStepTakeTheLongerOfArithmeticAndMemory) {
  // Four workers: 10 ms; 1.6 GB at 100 GB/s; 0.4 GB in 4 ms, so 10 ms.
  EXPECT_NEAR(together(100e9), 0.036, 1e-12);
  // At 20 GB/s: 10 ms; 4 times 10 ms, because one worker alone draws all of it; 20 ms.
  EXPECT_NEAR(together(20e9), 0.07, 1e-12);
  EXPECT_NEAR(together(1e9), 0.09, 1e-12);
  EXPECT_NEAR(together(1e15), 0.03, 1e-12);
}

TEST(MemoryContention, TheBandwidthIsFoundFromTheTime) {
  for (const double bandwidth : {11e9, 20e9, 41e9, 100e9, 159e9}) {
    const auto found = bandwidth_of_groups(kLayers, 4, Seconds{together(bandwidth)});
    EXPECT_NEAR(found.value(), bandwidth, 1e-6 * bandwidth);
  }
}

TEST(MemoryContention, WhatCannotBeIsTheNearestThatCan) {
  EXPECT_NEAR(bandwidth_of_groups(kLayers, 4, Seconds{0.03}).value(), 160e9, 1) << "nobody waits";
  EXPECT_NEAR(bandwidth_of_groups(kLayers, 4, Seconds{0.02}).value(), 160e9, 1);
  EXPECT_NEAR(bandwidth_of_groups(kLayers, 4, Seconds{1}).value(), 10e9, 100) << "all wait";
  EXPECT_EQ(bandwidth_of_groups(std::span(kLayers).first(1), 4, Seconds{1}).value(), 0);
  EXPECT_EQ(bandwidth_of_groups({}, 4, Seconds{1}).value(), 0);
}

}  // namespace
}  // namespace paceline
