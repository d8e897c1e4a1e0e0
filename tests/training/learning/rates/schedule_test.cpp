// SPDX-License-Identifier: MIT
#include "training/learning/rates/schedule.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Choice<Schedule> read(const std::string& yaml, std::string* errors = nullptr) {
  Diagnostics diagnostics;
  Choice<Schedule> schedule;
  Value<Choice<Schedule>>::read(schedule, parse_yaml("s", yaml), diagnostics);
  if (errors != nullptr) *errors = join(diagnostics.lines(), "\n");
  return schedule;
}

/// The rate after `epochs` epochs of a hundred rounds each, learning rate 0.1.
double at_epoch(const Choice<Schedule>& schedule, double epochs, double items = 256) {
  return schedule->rate(0.1, {100 * epochs, epochs, items});
}

// The reference rates of Goyal et al. 2017 by the items kn of an update, after the warm-up.
TEST(LinearScaling, GivesThePublishedRates) {
  const Choice<Schedule> schedule = read("linear-scaling");
  for (const auto& [items, rate] :
       {std::pair{256, 0.1}, std::pair{1024, 0.4}, std::pair{8192, 3.2}, std::pair{11264, 4.4}}) {
    EXPECT_DOUBLE_EQ(at_epoch(schedule, 5, items), rate);
    EXPECT_DOUBLE_EQ(at_epoch(schedule, 60, items), rate);
  }
}

// eta0 + (eta - eta0) t / 5 with eta0 = 0.1 and eta = 3.2: 1.65 half way.
TEST(LinearScaling, WarmsUpOverFiveEpochs) {
  const Choice<Schedule> schedule = read("linear-scaling");
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 0, 8192), 0.1);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 2.5, 8192), 1.65);
  EXPECT_TRUE(schedule->needs_epochs());
  const Choice<Schedule> rounds = read("{kind: linear-scaling, warmup: 20, reference_batch: 32}");
  EXPECT_FALSE(rounds->needs_epochs());
  EXPECT_DOUBLE_EQ(rounds->rate(0.1, {5, {}, 96}), 0.15);
  EXPECT_DOUBLE_EQ(rounds->rate(0.1, {20, {}, 96}), 0.3);
  // With fewer items than the reference batch, the smaller rate from the start.
  EXPECT_DOUBLE_EQ(rounds->rate(0.1, {0, {}, 16}), 0.05);
  EXPECT_DOUBLE_EQ(rounds->rate(0.1, {10, {}, 16}), 0.05);
  EXPECT_DOUBLE_EQ(read("{kind: linear-scaling, warmup: 0}")->rate(0.1, {0, {}, 512}), 0.2);
}

TEST(ConstantRate, IsTheLearningRateAfterItsWarmUp) {
  const Choice<Schedule> plain("constant");
  EXPECT_DOUBLE_EQ(at_epoch(plain, 0), 0.1);
  EXPECT_DOUBLE_EQ(at_epoch(plain, 90, 8192), 0.1);
  EXPECT_FALSE(plain->needs_epochs());
  const Choice<Schedule> warmed = read("{kind: constant, warmup: 50}");
  EXPECT_DOUBLE_EQ(warmed->rate(0.1, {10, {}, 1}), 0.02);
  EXPECT_DOUBLE_EQ(warmed->rate(0.1, {50, {}, 1}), 0.1);
  EXPECT_DOUBLE_EQ(warmed->rate(0.1, {500, {}, 1}), 0.1);
}

// Goyal et al.: a tenth at each of the epochs 30, 60 and 80.
TEST(StepDecay, FallsAtEachTime) {
  const Choice<Schedule> schedule = read(
      "{kind: step, at: [30 epochs, 6000, 80 epochs], reference_batch: 256, warmup: 5 epochs}");
  EXPECT_TRUE(schedule->needs_epochs());
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 2.5, 8192), 1.65);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 29.99, 8192), 3.2);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 30, 8192), 0.32);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 60, 8192), 0.032);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 90, 8192), 0.0032);
  const Choice<Schedule> halves = read("{kind: step, at: [10, 20], factor: 0.5}");
  EXPECT_FALSE(halves->needs_epochs());
  EXPECT_DOUBLE_EQ(halves->rate(0.1, {9.5, {}, 8192}), 0.1);
  EXPECT_DOUBLE_EQ(halves->rate(0.1, {25, {}, 8192}), 0.025);
}

// Cosines of 0, 60, 90 and 180 degrees.
TEST(CosineDecay, FallsAlongHalfACosine) {
  const Choice<Schedule> schedule = read("{kind: cosine, length: 90 epochs}");
  EXPECT_TRUE(schedule->needs_epochs());
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 0), 0.1);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 30), 0.075);
  EXPECT_DOUBLE_EQ(at_epoch(schedule, 45), 0.05);
  EXPECT_NEAR(at_epoch(schedule, 90), 0, 1e-17);
  EXPECT_NEAR(at_epoch(schedule, 200), 0, 1e-17);
  // The warm-up is part of the length: at a third of it half the ramp is left.
  const Choice<Schedule> warmed = read("{kind: cosine, length: 300, warmup: 200}");
  EXPECT_FALSE(warmed->needs_epochs());
  EXPECT_DOUBLE_EQ(warmed->rate(0.1, {100, {}, 1}), 0.05 * 0.75);
}

TEST(Schedules, RefuseWhatCannotBe) {
  const auto error_of = [](const std::string& yaml) {
    std::string errors;
    EXPECT_FALSE(read(yaml, &errors));
    return errors;
  };
  EXPECT_EQ(error_of("step"), "s:1:1: error: missing key 'at'");
  EXPECT_EQ(error_of("{kind: step, at: []}"),
            "s:1:1: error: 'at' must be a list of rounds or epochs, each > 0");
  EXPECT_EQ(error_of("{kind: step, at: [0]}"),
            "s:1:1: error: 'at' must be a list of rounds or epochs, each > 0");
  EXPECT_EQ(error_of("{kind: step, at: [-3 epochs]}"),
            "s:1:19: error: a number of epochs must be > 0");
  EXPECT_EQ(error_of("{kind: step, at: [5], factor: 2}"), "s:1:31: error: 'factor' must be <= 1");
  EXPECT_EQ(error_of("cosine"), "s:1:1: error: missing key 'length'");
  EXPECT_EQ(error_of("{kind: cosine, length: 0}"), "s:1:24: error: 'length' must be >= 1");
  EXPECT_EQ(error_of("{kind: linear-scaling, reference_batch: 0}"),
            "s:1:41: error: 'reference_batch' must be >= 1");
  EXPECT_EQ(error_of("{kind: constant, warmup: -1}"), "s:1:26: error: 'warmup' must be >= 0");
}

}  // namespace
}  // namespace paceline
