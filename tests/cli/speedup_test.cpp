// SPDX-License-Identifier: MIT
#include "cli/speedup.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

constexpr const char* kExperiment = R"(name: rows
model: {kind: synthetic, compute: 10 ms, gradient: 1 MB}
machine: ideal
batch: 10
workers: [2, 4]
update: [sync, async]
precision: [fp32, fp16]
samples_per_epoch: 1000
)";

std::vector<ResultRow> rows_of(const ExperimentFile& file) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    ResultRow row;
    row.point = &file.points[i];
    row.index = i;
    row.measurement.throughput = 100.0 * static_cast<double>(i + 1);
    row.measurement.step_mean = 1.0 + static_cast<double>(i);
    rows.push_back(row);
  }
  return rows;
}

// Points:   workers x update x precision, in that order: 0 = (2, sync, fp32), 1 = (2, sync, fp16),
//           2 = (2, async, fp32), ..., 7 = (4, async, fp16)
// Expected: the base of 7 is 3 (2, async, fp16): same precision, fewest workers, same update.
TEST(Rows, BaseHasTheFewestWorkersAndTheSameUpdate) {
  const ExperimentFile file = load_experiment_text("rows.yaml", kExperiment, {});
  std::vector<ResultRow> rows = rows_of(file);
  relate(rows);
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(*rows[7].speedup, 800.0 / 400);
  EXPECT_EQ(*rows[7].efficiency, 800.0 / 400 * 2 / 4);
  EXPECT_EQ(*rows[7].base_workers, 2);
  EXPECT_EQ(*rows[7].overhead, 4);
  EXPECT_EQ(*rows[7].epoch, 1000.0 / 800);
  EXPECT_EQ(*rows[3].speedup, 1);
}

// Expected: if no row of the same update has as few workers, the base has another update.
TEST(Rows, UpdateAndKDoNotPartTheBase) {
  const ExperimentFile file = load_experiment_text("rows.yaml", kExperiment, {"precision=fp32"});
  std::vector<ResultRow> rows = rows_of(file);
  rows.erase(rows.begin() + 1);  // (2, async)
  rows.front().measurement.throughput = 50;
  relate(rows);
  EXPECT_EQ(*rows.back().base_workers, 2);
  EXPECT_EQ(*rows.back().speedup, 400.0 / 50);
}

TEST(Rows, FailuresHaveNoFiguresAndAreNoBase) {
  const ExperimentFile file = load_experiment_text("rows.yaml", kExperiment, {"precision=fp32"});
  std::vector<ResultRow> rows = rows_of(file);
  rows[0].measurement.status = "failed: lost a worker";
  rows[1].measurement.status = "skipped (not here)";
  relate(rows);
  EXPECT_FALSE(rows[0].speedup);
  EXPECT_EQ(*rows[2].base_workers, 4);
  EXPECT_EQ(*rows[2].speedup, 1);
}

TEST(Rows, PublishedThroughputGivesTheTimeOfAnUpdate) {
  ExperimentFile file = load_experiment_text("rows.yaml", kExperiment, {"precision=fp32"});
  PublishedRow row;
  row.throughput = 400;
  file.points[2].published = row;  // 4 workers, sync: 40 items an update
  file.points[3].published = row;  // async: 10
  EXPECT_EQ(*published_measurement(file.points[2]).iteration_mean, 0.1);
  EXPECT_EQ(*published_measurement(file.points[3]).iteration_mean, 0.025);
}

TEST(ExperimentFile, BlocksAloneMakeANetworkOfLayers) {
  const std::string text =
      "name: r\nmachine: ideal\nbatch: 4\nmodel:\n  input: {channels: 3, height: 9, width: 9}\n"
      "  classes: 5\n  blocks:\n    - {channels: 8, kernel: 3}\n    - classifier\n";
  const ExperimentFile file = load_experiment_text("r.yaml", text, {});
  ASSERT_EQ(file.points.size(), 1U);
  EXPECT_EQ(file.points.front().network->classes, 5);
}

TEST(Rows, EfficiencyHasNoBaseOfAnotherPushInterval) {
  const ExperimentFile file = load_experiment_text("d.yaml", R"(name: d
model: {kind: synthetic, compute: 1 ms}
machine: ideal
zip:
  - {workers: 1, update: {kind: downpour, push_every: 1, fetch_every: 1}}
  - {workers: 4, update: {kind: downpour, push_every: 1, fetch_every: 1}}
  - {workers: 2, update: {kind: downpour, push_every: 30, fetch_every: 30}}
  - {workers: 4, update: {kind: downpour, push_every: 30, fetch_every: 30}}
)",
                                                   {});
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    ResultRow row;
    row.point = &file.points[i];
    row.index = i;
    row.measurement.throughput = 100.0 * static_cast<double>(i + 1);
    rows.push_back(row);
  }
  relate(rows);
  EXPECT_EQ(rows[1].base_workers, 1);
  EXPECT_EQ(rows[1].speedup, 2);
  EXPECT_EQ(rows[3].base_workers, 2) << "one worker pushed at another interval";
  EXPECT_NEAR(*rows[3].speedup, 400.0 / 300, 1e-12);
}

}  // namespace
}  // namespace paceline
