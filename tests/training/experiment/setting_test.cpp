// SPDX-License-Identifier: MIT
// The properties of aggregations and policies reach the setting of a point.
#include "training/experiment/setting.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

ExperimentPoint point_of(const std::string& lines) {
  const std::string text =
      "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [8], classes: 2}\nmachine: ideal\n";
  return load_experiment_text("p.yaml", text + lines, {}).points.front();
}

TEST(Setting, HasThePlanThatItsAggregationStates) {
  for (const auto& row : family<Aggregation>().rows) {
    const ExperimentPoint point = point_of("workers: 2\naggregation: " + row.name + "\n");
    const Setting setting = make_setting(point);
    const std::shared_ptr<const Aggregation> aggregation = row.blank();
    EXPECT_EQ(setting.plan.survives_deaths(), aggregation->survives_deaths()) << row.name;
    EXPECT_EQ(setting.counting.independent, !aggregation->exchanges()) << row.name;
    EXPECT_EQ(point.experiment.update.has_value(), !updates_served(*aggregation).empty())
        << row.name;
  }
}

TEST(Setting, APolicyMayHaveADefaultOptimizer) {
  const auto optimizer_of = [](const std::string& lines) {
    return point_of(lines).experiment.optimizer.kind();
  };
  EXPECT_EQ(optimizer_of("update: downpour\n"), "adagrad");
  EXPECT_EQ(optimizer_of("update: downpour\noptimizer: sgd\n"), "sgd");
  EXPECT_EQ(optimizer_of("update: async\n"), "sgd");
  EXPECT_EQ(optimizer_of("aggregation: independent\n"), "sgd");
}

}  // namespace
}  // namespace paceline
