// SPDX-License-Identifier: MIT
#include "cli/rows.hpp"

#include "cli/point_file.hpp"
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

// Expected: where no row of the same update has so few workers, another update's is the base.
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

TEST(PointFile, ReadsBackAsItWasWritten) {
  Measurement measurement;
  measurement.status = "bound";
  measurement.throughput = 1.0 / 3;
  measurement.updates = 200;
  measurement.steps.push_back({1, 2, 0.1, 0.2, 0.3, 0.4, 1.25, true});
  const std::string text = point_text("aa", measurement);
  const auto again = read_point_text("aa", text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, "bound");
  EXPECT_EQ(*again->throughput, 1.0 / 3);
  EXPECT_FALSE(again->loss_final);
  ASSERT_EQ(again->steps.size(), 1U);
  EXPECT_EQ(again->steps[0].end_s, 1.25);
  EXPECT_TRUE(again->steps[0].accepted);
  EXPECT_EQ(point_text("aa", *again), text);
  EXPECT_FALSE(read_point_text("ab", text)) << "another point's file";
}

TEST(PointFile, ThatIsNotWholeIsNone) {
  Measurement measurement;
  measurement.throughput = 12.5;
  measurement.steps.push_back({1, 2, 0.1, 0.2, 0.3, 0.4, 1.25, true});
  const std::string text = point_text("aa", measurement);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(read_point_text("aa", text.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_point_text("aa", text + "\n"));
}

// A changed digit, a doubled line and a lost line are not results.
TEST(PointFile, ThatWasChangedIsNone) {
  Measurement measurement;
  measurement.throughput = 12.5;
  measurement.updates = 200;
  measurement.curve.push_back({0, 10, 0.5, 100, 1.5, 0.25});
  const std::string text = point_text("aa", measurement);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = changed[at] == '1' ? '2' : '1';
    EXPECT_FALSE(read_point_text("aa", changed)) << at;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    EXPECT_FALSE(read_point_text("aa", text.substr(0, begin) + text.substr(end))) << line;
    EXPECT_FALSE(read_point_text("aa", text.substr(0, end) + line + text.substr(end))) << line;
    begin = end;
  }
}

class DamagedPoint : public CommandTest {};

TEST_F(DamagedPoint, RunsAgainAndSaysSo) {
  save_point("points", "aa", Measurement{});
  std::ostringstream notes;
  EXPECT_TRUE(load_point("points", "aa", notes));
  EXPECT_FALSE(load_point("points", "bb", notes));
  EXPECT_EQ(notes.str(), "") << "a point that no run has finished is no news";
  std::filesystem::copy("points/aa", "points/bb");
  EXPECT_FALSE(load_point("points", "bb", notes));
  EXPECT_EQ(notes.str(), "note: points/bb is damaged; its point runs again\n");
}

TEST(PointFile, IsNamedByAllThatMatters) {
  const auto key = [](const std::vector<std::string>& overrides, const char* source) {
    const ExperimentFile file = load_experiment_text("rows.yaml", kExperiment, overrides);
    return point_key(file.points.front(), nullptr, source);
  };
  const std::string plain = key({}, "predicted");
  EXPECT_EQ(plain.size(), 32U);
  EXPECT_EQ(key({}, "predicted"), plain);
  EXPECT_EQ(key({"seed=1"}, "predicted"), plain);  // the default, written out
  EXPECT_NE(key({}, "measured"), plain);
  EXPECT_NE(key({"seed=2"}, "predicted"), plain);
  EXPECT_NE(key({"model.compute=11 ms"}, "predicted"), plain);
  EXPECT_NE(key({"machine=dgx1-p100"}, "predicted"), plain);
}

TEST(ExperimentFile, BlocksAloneMakeANetworkOfLayers) {
  const std::string text =
      "name: r\nmachine: ideal\nbatch: 4\nmodel:\n  input: {channels: 3, height: 9, width: 9}\n"
      "  classes: 5\n  blocks:\n    - {channels: 8, kernel: 3}\n    - classifier\n";
  const ExperimentFile file = load_experiment_text("r.yaml", text, {});
  ASSERT_EQ(file.points.size(), 1U);
  EXPECT_EQ(file.points.front().network->classes, 5);
}

TEST(PointFile, IsNamedByTheResolvedNetwork) {
  const auto key = [](const std::string& convolution, const std::string& norm) {
    const std::string text =
        "name: r\nmachine: ideal\nbatch: 4\nmodel:\n  kind: layers\n  input: {channels: 3, height: "
        "9, width: 9}\n"
        "  classes: 5\n  blocks:\n    - {channels: 8, " +
        convolution + "}\n    - {kind: local-response-norm, " + norm + "}\n    - classifier\n";
    const ExperimentFile file = load_experiment_text("r.yaml", text, {});
    // what it was written as is not what tells them apart
    ExperimentPoint point = file.points.front();
    point.experiment.model.tree = Tree::scalar("net.yaml");
    return point_key(point, nullptr, "predicted");
  };
  const std::string norm = "size: 5, alpha: 0.001, beta: 0.75";
  const std::string plain = key("kernel: 1x9, padding: same", norm);
  EXPECT_EQ(key("kernel: 1x9, padding: same", norm), plain);
  EXPECT_NE(key("kernel: 9x1, padding: same", norm), plain) << "as many weights, multiplied alike";
  EXPECT_NE(key("kernel: 1x9, padding: same", "size: 5, alpha: 0.01, beta: 0.75"), plain);
  EXPECT_NE(key("kernel: 1x9, padding: same", "size: 3, alpha: 0.001, beta: 0.75"), plain);
  EXPECT_NE(key("kernel: 1x9, padding: same", "size: 5, alpha: 0.001, beta: 0.5"), plain);
}

TEST(PointFile, IsNamedByTheResolvedMachine) {
  const auto key = [](const std::string& kind, const std::string& peers) {
    const std::string text =
        "name: r\nmodel: {kind: synthetic, compute: 1 ms}\nmachine:\n"
        "  gpus: [{model: k80, count: 2}]\n  host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
        "  link_types: {x: {kind: " +
        kind + ", bandwidth: 16 GB/s, source: test}}\n" +
        "  links: [{type: x, from: cpu0, to: [gpu0, gpu1]}]\n  peer_access: " + peers + "\n";
    const ExperimentFile file = load_experiment_text("r.yaml", text, {});
    ExperimentPoint point = file.points.front();
    point.experiment.machine.tree = Tree::scalar("machine.yaml");
    return point_key(point, nullptr, "predicted");
  };
  EXPECT_EQ(key("pcie", "all"), key("pcie", "all"));
  EXPECT_NE(key("pcie", "all"), key("nvlink", "all"));
  EXPECT_NE(key("pcie", "all"), key("pcie", "none"));
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

TEST(PointFile, KeepsTheFirstStepsOfTheFirstRepeat) {
  Measurement measurement;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int worker = 0; worker < 4; ++worker) {
      for (int step = 0; step < 300; ++step) {
        measurement.steps.push_back({worker, step, static_cast<double>(repeat), 0, 0, 0, 1, true});
      }
    }
  }
  keep_first_steps(measurement, 4);
  EXPECT_EQ(measurement.steps.size(), 400U);
  for (const StepRow& row : measurement.steps) {
    EXPECT_LT(row.step, 100);
    EXPECT_EQ(row.began_s, 0);
  }
}

}  // namespace
}  // namespace paceline
