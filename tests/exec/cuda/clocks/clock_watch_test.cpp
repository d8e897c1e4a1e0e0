// SPDX-License-Identifier: MIT
#include "exec/cuda/clocks/clock_watch.hpp"

#include <atomic>

#include <gtest/gtest.h>

namespace paceline::cuda {
namespace {

TEST(ClockWatch, SaysMediansAndRanges) {
  EXPECT_EQ(describe_readings({}), "");
  EXPECT_EQ(describe_readings({{1980, 3201, 540.4, false}}), "SM 1980 MHz, memory 3201 MHz, 540 W");
  EXPECT_EQ(describe_readings(
                {{1980, 3201, 500, false}, {1905, 3201, 600, true}, {1950, 3201, 700, false}}),
            "SM 1950 MHz (1905 to 1980), memory 3201 MHz, 600 W, throttled in 1 of 3 readings");
}

TEST(ClockWatch, LeavesOutUnknownValues) {
  EXPECT_EQ(describe_readings({{0, 0, 0, false}}), "");
  EXPECT_EQ(describe_readings({{1980, 0, 0, false}}), "SM 1980 MHz");
}

TEST(ClockWatch, ReadsWhileItLivesAndAtLeastOnce) {
  std::atomic<int> readings{0};
  const auto reader = [&] {
    ++readings;
    return GpuReading{1980, 3201, 540, false};
  };
  ClockWatch watch(reader, std::chrono::hours{1});
  EXPECT_EQ(watch.stop_and_describe(), "SM 1980 MHz, memory 3201 MHz, 540 W");
  EXPECT_EQ(readings, 1);
  ClockWatch often(reader, std::chrono::milliseconds{1});
  while (readings < 5) {
  }
  EXPECT_EQ(often.stop_and_describe(), "SM 1980 MHz, memory 3201 MHz, 540 W");
}

TEST(ClockWatch, ReadsNothingWhilePaused) {
  std::atomic<int> readings{0};
  std::atomic<int> meanwhile{0};
  const auto counts = [](std::atomic<int>& count) {
    return [&count] {
      ++count;
      return GpuReading{1980, 0, 0, false};
    };
  };
  ClockWatch watch(counts(readings), std::chrono::milliseconds{1});
  watch.pause(true);
  const int before = readings;
  ClockWatch other(counts(meanwhile), std::chrono::milliseconds{1});
  while (meanwhile < 20) {
  }
  EXPECT_EQ(readings, before);
  watch.pause(false);
  while (readings < before + 5) {
  }
}

TEST(ClockWatch, WithoutAReaderThereIsNothingToSay) {
  ClockWatch watch(nullptr);
  EXPECT_EQ(watch.stop_and_describe(), "");
}

TEST(Nvml, AnAddressThatNoGpuHasIsNotRead) {
  EXPECT_FALSE(open_nvml("ffff:ff:1f.7"));
}

}  // namespace
}  // namespace paceline::cuda
