// SPDX-License-Identifier: MIT
#include "training/profile/transfer_fit.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// Messages of 1 KiB to 256 MiB on a line.
std::vector<TimedTransfer> on_line(double latency, double bandwidth) {
  std::vector<TimedTransfer> all;
  for (double size = 1024; size <= 256.0 * 1048576; size *= 4) {
    all.push_back({Bytes{size}, Seconds{latency + size / bandwidth}});
  }
  return all;
}

TEST(TransferFitTest, FindsTheLineThatMessagesAreOn) {
  const TransferFit fit = fit_transfers(on_line(7e-6, 25e9));
  EXPECT_NEAR(fit.latency.value(), 7e-6, 1e-15);
  EXPECT_NEAR(fit.bandwidth.value(), 25e9, 1);
  EXPECT_LT(fit.rms.fraction, 1e-9);
  EXPECT_LT(fit.worst.fraction, 1e-9);
  EXPECT_NEAR(fit.time(Bytes{25e6}).value(), 1.007e-3, 1e-12);
}

TEST(TransferFitTest, TwoMessagesAreALine) {
  const std::vector<TimedTransfer> two{{Bytes{1000}, Seconds{2e-6}}, {Bytes{3000}, Seconds{4e-6}}};
  const TransferFit fit = fit_transfers(two);
  EXPECT_NEAR(fit.latency.value(), 1e-6, 1e-15);
  EXPECT_NEAR(fit.bandwidth.value(), 1e9, 1e-3);
}

TEST(TransferFitTest, OneMessageHasNoLatency) {
  const std::vector<TimedTransfer> one{{Bytes{1000}, Seconds{2e-6}}};
  const TransferFit fit = fit_transfers(one);
  EXPECT_EQ(fit.latency, Seconds{0});
  EXPECT_DOUBLE_EQ(fit.bandwidth.value(), 5e8);
}

// A least-squares line in plain seconds would be 20 % off here, because the largest message
// dominates.
TEST(TransferFitTest, AnOutlierCountsForLittle) {
  std::vector<TimedTransfer> times = on_line(5e-6, 10e9);
  times[4].time = times[4].time * 3;
  times.back().time = times.back().time * 1.5;
  const TransferFit fit = fit_transfers(times);
  EXPECT_NEAR(fit.latency.value(), 5e-6, 0.02 * 5e-6);
  EXPECT_NEAR(fit.bandwidth.value(), 10e9, 0.02 * 10e9);
  EXPECT_NEAR(fit.worst.fraction, 2.0 / 3, 0.01) << "a third of three times the time";
}

TEST(TransferFitTest, ResidualsAreSharesOfTheTime) {
  std::vector<TimedTransfer> times = on_line(5e-6, 10e9);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].time = times[i].time * (i % 2 == 0 ? 1.02 : 0.98);
  }
  const TransferFit fit = fit_transfers(times);
  EXPECT_NEAR(fit.rms.fraction, 0.02, 0.005);
  EXPECT_LT(fit.worst.fraction, 0.04);
  EXPECT_GE(fit.worst.fraction, fit.rms.fraction);
}

TEST(TransferFitTest, LatencyIsNeverNegative) {
  // Each byte of a larger message takes longer, as with a cache that is too small.
  std::vector<TimedTransfer> times;
  for (double size = 1e3; size < 1e8; size *= 10) {
    times.push_back({Bytes{size}, Seconds{std::pow(size, 1.2) * 1e-11}});
  }
  const TransferFit fit = fit_transfers(times);
  EXPECT_GE(fit.latency, Seconds{0});
  EXPECT_GT(fit.bandwidth, BytesPerSecond{0});
  EXPECT_GT(fit.worst.fraction, 0.1) << "and the line says that it is none";
}

TEST(TransferFitTest, RefusesWhatNoLineGoesThrough) {
  const std::vector<TimedTransfer> none;
  const std::vector<TimedTransfer> empty{{Bytes{0}, Seconds{1e-6}}};
  const std::vector<TimedTransfer> no_time{{Bytes{1000}, Seconds{0}}};
  EXPECT_THROW(fit_transfers(none), std::invalid_argument);
  EXPECT_THROW(fit_transfers(empty), std::invalid_argument);
  EXPECT_THROW(fit_transfers(no_time), std::invalid_argument);
}

}  // namespace
}  // namespace paceline
