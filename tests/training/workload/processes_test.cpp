// SPDX-License-Identifier: MIT
#include "training/workload/processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/experiment/experiment_file.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ProcessesTest, WorkersAreInBlocksAndServersOnTheFirst) {
  EXPECT_THAT(processes_of_roles(1, 4, 1, false), IsEmpty());
  EXPECT_THAT(processes_of_roles(2, 4, 2, false), ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(processes_of_roles(3, 8, 0, false), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2));
  EXPECT_THAT(processes_of_roles(3, 3, 3, true), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(ProcessesTest, OnlyWorkersMayBeLost) {
  Plan plan;
  plan.workers = 2;
  plan.shards = 1;
  plan.processes = {0, 1, 0};
  plan.survives = true;
  EXPECT_FALSE(plan.survives_loss_of(0));
  EXPECT_TRUE(plan.survives_loss_of(1));
  plan.survives = false;
  EXPECT_FALSE(plan.survives_loss_of(1));
  plan.survives = true;
  plan.mortality.restart = Seconds{1};
  EXPECT_FALSE(plan.survives_loss_of(1));
}

std::string errors_of(const std::string& more) {
  try {
    load_experiment_text(
        "p.yaml", "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [4], classes: 2}\n" + more, {});
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(ProcessesTest, TheFileIsChecked) {
  EXPECT_EQ(errors_of("workers: 2\nprocesses: {count: 2, bandwidth: 100 Mbit/s}\n"), "");
  EXPECT_THAT(errors_of("workers: 2\nprocesses: {count: 3}\n"),
              HasSubstr("p.yaml:4:20: error: count 3 is above workers 2"));
  EXPECT_THAT(errors_of("workers: 2\nmachine: dgx1-p100\nprocesses: {count: 2}\n"),
              HasSubstr("several processes need machine: this without"));
  EXPECT_THAT(errors_of("workers: 2\nprocesses: {count: 2, bandwidth: 100}\n"),
              HasSubstr("p.yaml:4:34: error:"));
}

TEST(ProcessesTest, AShardInEveryProcess) {
  const ExperimentFile file = load_experiment_text(
      "p.yaml",
      "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [4], classes: 2}\nworkers: 4\n"
      "processes: {count: 3}\naggregation: {kind: parameter-server, placement: hosts}\n",
      {});
  const Experiment& experiment = file.points.front().experiment;
  EXPECT_EQ(experiment.aggregation->shards(4, experiment.process_count()), 3);
}

}  // namespace
}  // namespace paceline
