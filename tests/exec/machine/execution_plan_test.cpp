// SPDX-License-Identifier: MIT
// Delays of an execution, which knows no costs.
#include "exec/machine/execution_plan.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000'000;

/// Counts spans.
class Spans final : public Observer {
 public:
  void span(WorkId, Activity, Instant, Instant) override { ++count; }
  int count = 0;
};

ExperimentFile late(const std::string& applies) {
  return load_experiment_text("late.yaml",
                              "name: late\nmodel: {kind: synthetic, compute: 1 s}\nworkers: 2\n"
                              "stragglers: {compute: {kind: constant, value: 10 ms, applies: " +
                                  applies + "}}\n",
                              {});
}

TEST(ExecutionPlan, ATotalDelayIsShorterByTheArithmeticLastMeasured) {
  const ExperimentFile file = late("total");
  const Setting setting = make_setting(file.points.front());
  Spans spans;
  const Plan plan = plan_of_execution(setting, 0, &spans);
  EXPECT_DOUBLE_EQ(plan.delay(0, 0).value(), 0.010) << "nothing was measured yet";
  const auto compute = [&](WorkId work, int from_ms, int to_ms) {
    plan.observer->span(work, Activity::compute, Instant{from_ms * kMillisecond},
                        Instant{to_ms * kMillisecond});
  };
  compute({0, 0}, 0, 1);
  compute({0, 0}, 2, 4);
  EXPECT_DOUBLE_EQ(plan.delay(0, 1).value(), 0.010) << "the mini-batch is under way";
  plan.observer->gradient_computed({0, 0}, Instant{4 * kMillisecond}, 0);
  EXPECT_DOUBLE_EQ(plan.delay(0, 1).value(), 0.007);
  EXPECT_DOUBLE_EQ(plan.delay(1, 1).value(), 0.010) << "another worker";
  compute({0, 1}, 20, 50);
  plan.observer->gradient_computed({0, 1}, Instant{50 * kMillisecond}, 0);
  EXPECT_DOUBLE_EQ(plan.delay(0, 2).value(), 0) << "arithmetic takes longer than the draw";
  EXPECT_EQ(spans.count, 3) << "the observer of the repeat gets every span too";
}

TEST(ExecutionPlan, AnAddedDelayIsTheDraw) {
  const ExperimentFile file = late("added");
  const Setting setting = make_setting(file.points.front());
  Spans spans;
  const Plan plan = plan_of_execution(setting, 0, &spans);
  EXPECT_EQ(plan.observer, &spans);
  EXPECT_DOUBLE_EQ(plan.delay(0, 3).value(), 0.010);
}

}  // namespace
}  // namespace paceline
