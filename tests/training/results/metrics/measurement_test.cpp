// SPDX-License-Identifier: MIT
#include "training/results/metrics/measurement.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(MeasurementTest, JoinsRepeats) {
  Measurement a;
  Measurement b;
  a.throughput = 10;
  b.throughput = 14;
  a.iteration_mean = 1;
  b.iteration_mean = 3;
  const Measurement joined = join_repeats({a, b}, {{{1, 2}, {}}, {{3, 4}, {}}}, 12);
  EXPECT_DOUBLE_EQ(*joined.throughput, 12);
  EXPECT_DOUBLE_EQ(*joined.throughput_stderr, 2);  // deviation 2.83 / sqrt(2)
  EXPECT_DOUBLE_EQ(*joined.iteration_mean, 2);
  EXPECT_DOUBLE_EQ(*joined.iteration_median, 2.5);
  EXPECT_FALSE(joined.compute.has_value());
}

TEST(MeasurementTest, FiguresThatContradictEachOtherAreImpossible) {
  Measurement sound;
  EXPECT_EQ(why_impossible(sound, 1e-6), "");  // no error
  sound.step_mean = 10;
  sound.compute = 5;
  sound.delay = 1;
  sound.exposed_comm = 3;
  sound.wait = 1;
  sound.input = 0;
  sound.utilization = 0.5;
  sound.throughput = 100;
  EXPECT_EQ(why_impossible(sound, 1e-6), "");
  const auto with = [&](auto field, double value) {
    Measurement changed = sound;
    changed.*field = value;
    return why_impossible(changed, 1e-6);
  };
  EXPECT_EQ(with(&Measurement::compute, 8.4),
            "the parts of a step are 13.4 s, and step_s_mean is 10 s");
  EXPECT_EQ(with(&Measurement::wait, 1 + 1e-7), "");
  EXPECT_EQ(with(&Measurement::throughput, -2.5),
            "throughput is -2.5 (a column is finite and not negative)");
  EXPECT_EQ(with(&Measurement::throughput, std::nan("")).substr(0, 14), "throughput is ");
  EXPECT_EQ(with(&Measurement::utilization, 1.01), "utilization is 1.01 (at most 1)");
  EXPECT_EQ(with(&Measurement::loss_final, -0.1), "");  // above the optimum, less the noise
  EXPECT_EQ(with(&Measurement::loss_final, std::nan("")), "loss_final is nan (a column is finite)");
  sound.status = "diverged at update 3 (loss nan)";
  EXPECT_EQ(with(&Measurement::loss_final, std::nan("")), "");
}

// The status of joined repeats decides the exit code: one loss that is NaN or infinite makes it 1.
TEST(MeasurementTest, RepeatsKeepALossThatIsNoNumber) {
  const auto joined = [](const std::string& first, const std::string& second) {
    Measurement a, b;
    a.status = first;
    b.status = second;
    return join_repeats({a, b}, {{}, {}}, 1).status;
  };
  const std::string none = "diverged at update 3 (loss nan)",
                    high = "diverged at update 5 (loss 12)";
  EXPECT_EQ(joined(none, high), none);
  EXPECT_EQ(joined(high, none), none);
  EXPECT_EQ(joined(high, "ok"), high);
}

TEST(MeasurementTest, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile_of({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile_of({1, 2, 3, 4, 5}, 0.95), 4.8);
  EXPECT_DOUBLE_EQ(robust_deviation({1, 2, 3, 4, 100}), 1.4826);
}

}  // namespace
}  // namespace paceline
