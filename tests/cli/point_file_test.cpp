// SPDX-License-Identifier: MIT
#include "cli/point_file.hpp"

#include <cmath>
#include <limits>

#include "cli/step_room.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/experiment/profiled_workload.hpp"

namespace paceline {
namespace {

constexpr const char* kExperiment = R"(name: rows
model: {kind: synthetic, compute: 10 ms, gradient: 1 MB}
machine: ideal
batch: 10
workers: 2
update: sync
)";

TEST(PointFile, ReadsBackAsItWasWritten) {
  Measurement measurement;
  measurement.status = "bound";
  measurement.throughput = 1.0 / 3;
  measurement.updates = 200;
  measurement.steps.push_back({1, 2, 0.1, 0.2, 0.3, 0.4, 0.05, 0.15, 1.25, true});
  const std::string text = point_text("aa", measurement);
  const auto again = read_point_text("aa", text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, "bound");
  EXPECT_EQ(*again->throughput, 1.0 / 3);
  EXPECT_FALSE(again->loss_final);
  ASSERT_EQ(again->steps.size(), 1U);
  EXPECT_EQ(again->steps[0].input_s, 0.05);
  EXPECT_EQ(again->steps[0].validation_s, 0.15);
  EXPECT_EQ(again->steps[0].end_s, 1.25);
  EXPECT_TRUE(again->steps[0].accepted);
  EXPECT_EQ(point_text("aa", *again), text);
  EXPECT_FALSE(read_point_text("ab", text)) << "another point's file";
}

TEST(PointFile, ThatIsNotWholeIsNone) {
  Measurement measurement;
  measurement.throughput = 12.5;
  measurement.steps.push_back({1, 2, 0.1, 0.2, 0.3, 0.4, 0.05, 1.25, true});
  const std::string text = point_text("aa", measurement);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(read_point_text("aa", text.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_point_text("aa", text + "\n"));
}

// A file with a changed digit, a doubled line or a lost line is not a result.
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

// A point may lack room only where those before it are known to fill the file.
TEST(StepRoom, EndsWhereEarlierPointsFillTheFile) {
  StepRoom room(4);
  EXPECT_TRUE(room.has_room_for(3, 400)) << "nothing is known of the points before";
  EXPECT_TRUE(room.has_room_for(0, kMostSteps));
  EXPECT_TRUE(room.has_room_for(1, 1)) << "the point at which steps.csv ends";
  EXPECT_FALSE(room.has_room_for(2, 400));
  EXPECT_TRUE(room.has_room_for(0, 0)) << "the first point always";
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

TEST_F(DamagedPoint, IsAFile) {
  std::filesystem::create_directories("points/aa");
  std::ostringstream notes;
  try {
    load_point("points", "aa", notes);
    FAIL() << "a folder was read";
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "points/aa: error: not a file (move it away)");
  }
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

TEST(PointFile, IsNamedByTheResolvedNetwork) {
  const auto key = [](const std::string& convolution, const std::string& norm) {
    const std::string text =
        "name: r\nmachine: ideal\nbatch: 4\nmodel:\n  kind: layers\n  input: {channels: 3, height: "
        "9, width: 9}\n"
        "  classes: 5\n  blocks:\n    - {channels: 8, " +
        convolution + "}\n    - {kind: local-response-norm, " + norm + "}\n    - classifier\n";
    const ExperimentFile file = load_experiment_text("r.yaml", text, {});
    // the points differ in the resolved network, not in the text of the key
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

TEST(PointFile, KeepsTheFirstStepsOfTheFirstRepeat) {
  Measurement measurement;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int worker = 0; worker < 4; ++worker) {
      for (int step = 0; step < 300; ++step) {
        measurement.steps.push_back(
            {worker, step, static_cast<double>(repeat), 0, 0, 0, 0, 1, true});
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

// Infinite values, and a loss without an accuracy, are kept unchanged.
TEST(PointFile, KeepsWhatIsNotFinite) {
  Measurement measurement;
  measurement.status = "diverged at update 5 (loss inf)";
  measurement.loss_final = std::numeric_limits<double>::infinity();
  measurement.loss_floor = -std::numeric_limits<double>::infinity();
  measurement.delay = -0.0;
  measurement.step_mean = 5e-324;
  measurement.memory_bytes_peak = 1e300;
  measurement.curve.push_back({1, 5, 0.5, 80, std::nan(""), std::nan("")});
  measurement.staleness = {3, 0, 1};
  measurement.step_times.quantiles.assign(StepTimes::kQuantiles, 0.1);
  measurement.gpus = "1 x \"GPU\"";
  const std::string text = point_text("aa", measurement);
  const auto again = read_point_text("aa", text);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again->loss_final, *measurement.loss_final);
  EXPECT_EQ(*again->loss_floor, *measurement.loss_floor);
  EXPECT_TRUE(std::signbit(*again->delay));
  EXPECT_EQ(again->step_mean, measurement.step_mean);
  EXPECT_TRUE(std::isnan(again->curve.at(0).loss));
  EXPECT_EQ(again->staleness, measurement.staleness);
  EXPECT_EQ(again->gpus, measurement.gpus);
  EXPECT_EQ(again->step_times.quantiles, measurement.step_times.quantiles);
}

/// A profile of a computer with a GPU, and of two networks on its host.
Profile with_gpu(const ExperimentPoint& point) {
  Profile profile = made_up_profile();
  profile.gpus.emplace_back().name = "NVIDIA H200";
  profile.collectives.emplace_back();
  const Workload workload = workload_of(point);
  NetworkProfile& own = profile.networks.emplace_back(workload);
  own.forward.resize(workload.layers);
  own.backward.resize(workload.layers);
  NetworkProfile other = own;
  other.batch = 77;
  profile.networks.push_back(std::move(other));
  return profile;
}

TEST(PointFile, IsNamedByTheProfileThatThePointCanUse) {
  const ExperimentFile file = load_experiment_text(
      "r.yaml", "name: r\nmodel: mlp\nmachine: this\nbatch: 16\nsteps: 5\n", {});
  const ExperimentPoint& point = file.points.front();
  const Profile profile = with_gpu(point);
  const auto key = [&](auto change, bool on_gpus) {
    Profile changed = profile;
    change(changed);
    return point_key(point, &changed, "predicted", on_gpus);
  };
  const auto none = [](Profile&) {};
  const auto host = [](Profile& one) { one.host.copy_latency = Seconds{1}; };
  const auto own = [](Profile& one) { one.networks[0].update = Seconds{1}; };
  const auto other = [](Profile& one) { one.networks[1].update = Seconds{1}; };
  const auto gpus = [](Profile& one) { one.gpus[0].name = "NVIDIA A2"; };
  const auto sums = [](Profile& one) { one.collectives.clear(); };
  EXPECT_EQ(key(none, false), key(none, false));
  EXPECT_NE(key(host, false), key(none, false));
  EXPECT_NE(key(own, false), key(none, false));
  EXPECT_EQ(key(other, false), key(none, false)) << "of another network";
  EXPECT_EQ(key(gpus, false), key(none, false)) << "it runs on threads";
  EXPECT_EQ(key(sums, false), key(none, false)) << "it runs on threads";
  EXPECT_NE(key(host, true), key(none, true));
  EXPECT_NE(key(gpus, true), key(none, true));
  EXPECT_NE(key(sums, true), key(none, true));
}

}  // namespace
}  // namespace paceline
