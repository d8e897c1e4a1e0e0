// SPDX-License-Identifier: MIT
// The output of `paceline simulate`: it has the same bytes however it is run, and a stopped run
// continues.
#include <algorithm>

#include <sys/stat.h>

#include "experiments/language/yaml.hpp"
#include "tests/cli/command_fixture.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHeader =
    "experiment,source,model,machine,device,policy,k,aggregation,workers,batch,steps,updates,"
    "iteration_s_mean,iteration_s_median,iteration_s_p95,step_s_mean,compute_s,delay_s,"
    "exposed_comm_s,wait_s,input_s,wasted_s,overhead_s,throughput,throughput_stderr,"
    "throughput_jitter,item,speedup,efficiency,speedup_base_workers,staleness_mean,staleness_p95,"
    "utilization,memory_bytes_peak,epoch_s,loss_final,status";

constexpr const char* kExperiment = R"(# Does it scale?
name: small
model: {kind: synthetic, compute: 10 ms, gradient: 1 MB}
machine: dgx1-p100
batch: 16
workers: [1, 2, 3, 4]
update: [sync, async]
stragglers: {compute: {kind: exponential, mean: 5 ms}}
steps: 8
warmup: 1
repeats: 2
)";

class Simulate : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("small.yaml", kExperiment);
  }
  /// The finished points and their inodes; a rewritten file has another inode.
  static std::vector<std::pair<std::string, ino_t>> points(const std::string& folder) {
    std::vector<std::pair<std::string, ino_t>> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/points")) {
      struct stat status {};
      EXPECT_EQ(stat(entry.path().c_str(), &status), 0);
      all.emplace_back(entry.path().filename().string(), status.st_ino);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(Simulate, WritesTheColumnsOfTheDesign) {
  ASSERT_EQ(run({"simulate", "small.yaml"}), 0) << err;
  const std::string csv = read("results/small/results.csv");
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      kHeader + std::string(",swept.workers,swept.update,updates_per_s,layer_times,injected_share,"
                            "server_busy,idle_share,wasted_share,"
                            "staleness_max,accuracy_final,target,time_to_target_s,"
                            "time_to_target_stderr,updates_to_target,loss_floor,total_h,"
                            "cost_to_target,energy_to_target_j,failures,busbw,slowdown,padding,"
                            "length_mean,validation_s,checkpoint_s,point"));
  const std::string last = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  EXPECT_THAT(last, testing::EndsWith(",7\n")) << "the eighth point, as in steps.csv";
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 8 * 2);
  EXPECT_THAT(read("results/small/steps.csv"),
              StartsWith("point,source,worker,step,began_s,delay_s,compute_s,exposed_comm_s,wait_s,"
                         "input_s,validation_s,end_s,accepted\n0,predicted,0,0,"));
  const std::string manifest = read("results/small/manifest.json");
  for (const char* key : {"experiment",   "question", "findings", "agreement",        "layer_times",
                          "labels",       "yaml",     "resolved", "version",          "git",
                          "compiler",     "seed",     "command",  "machine",          "machine_svg",
                          "machine_text", "started",  "host",     "fitted_constants", "notes"}) {
    EXPECT_THAT(manifest, HasSubstr("\n  \"" + std::string(key) + "\": "));
  }
  EXPECT_THAT(manifest, HasSubstr("\"question\": \"Does it scale?\""));
  EXPECT_THAT(out, HasSubstr("results: results/small/results.csv"));
  EXPECT_EQ(err, "plots/draw.py not found; figures were not drawn\n");
}

TEST_F(Simulate, RepeatsWhatTheDrawingLeftOut) {
  std::filesystem::create_directory("plots");
  write("plots/draw.py", "import sys\nprint('no scripts', file=sys.stderr)\n");
  setenv("PACELINE_PLOTS", "plots", 1);
  EXPECT_EQ(run({"simulate", "small.yaml"}), 0);
  EXPECT_EQ(err, "no scripts\n");
  EXPECT_THAT(out, HasSubstr("report:  results/small/report.html"));
}

TEST_F(Simulate, ReadsTheSweepOfTheBenchmarks) {
  const std::string path = PACELINE_SOURCE_DIR "/tests/benchmarks/sweep.yaml";
  EXPECT_EQ(load_experiment_file(path, {}).points.size(), 10'000U);
}

// Graphviz takes longer than a small point.
TEST_F(Simulate, LeavesTheMachineUndrawnWithoutFigures) {
  ASSERT_EQ(run({"simulate", "small.yaml", "--no-plot"}), 0) << err;
  const std::string manifest = read("results/small/manifest.json");
  EXPECT_THAT(manifest, HasSubstr("\n  \"machine_svg\": \"\""));
  EXPECT_THAT(manifest, HasSubstr("\n  \"machine_dot\": \"graph"));
  ASSERT_EQ(run({"simulate", "small.yaml"}), 0) << err;
  EXPECT_THAT(read("results/small/manifest.json"), testing::Not(HasSubstr("machine_dot")));
}

TEST_F(Simulate, WritesTheSameBytesWhateverTheThreads) {
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "one", "-j", "1"}), 0);
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "two", "-j2"}), 0);
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "eight", "-j", "8"}), 0);
  for (const char* file : {"/results.csv", "/steps.csv"}) {
    EXPECT_NE(read(std::string("one") + file), "");
    EXPECT_EQ(read(std::string("one") + file), read(std::string("two") + file));
    EXPECT_EQ(read(std::string("one") + file), read(std::string("eight") + file));
  }
}

TEST_F(Simulate, GoesOnWhereItStopped) {
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "whole"}), 0);
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "cut"}), 0);
  const auto before = points("cut");
  ASSERT_EQ(before.size(), 8U);
  // a stopped run: one point is missing, one was truncated by another program
  std::filesystem::remove("cut/points/" + before[3].first);
  std::filesystem::resize_file("cut/points/" + before[5].first, 30);
  std::filesystem::remove("cut/results.csv");
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "cut"}), 0);
  EXPECT_EQ(read("cut/results.csv"), read("whole/results.csv"));
  EXPECT_EQ(read("cut/steps.csv"), read("whole/steps.csv"));
  const auto after = points("cut");
  ASSERT_EQ(after.size(), before.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].first, before[i].first);
    if (after[i].second == before[i].second) ++same;
  }
  EXPECT_GE(same, 6U) << "two points of 8 run again; a new file may have an old inode";
}

TEST_F(Simulate, RunsOnlyWhatChanged) {
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "dir"}), 0);
  const auto before = points("dir");
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "dir", "--set", "workers=[1, 2, 3, 4, 5]"}), 0);
  EXPECT_THAT(err, StartsWith("8 of 10 points reused\n"));
  const auto after = points("dir");
  EXPECT_EQ(after.size(), before.size() + 2);
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  ASSERT_EQ(run({"simulate", "small.yaml", "-o", "dir", "--seed", "2"}), 0);
  EXPECT_EQ(points("dir").size(), after.size() + 8);
}

// A changed key is another sweep: it reuses the common points and overwrites nothing.
TEST_F(Simulate, ChangedKeysHaveAFolderOfTheirOwn) {
  ASSERT_EQ(run({"simulate", "small.yaml"}), 0);
  const std::string whole = read("results/small/results.csv");
  ASSERT_EQ(run({"simulate", "small.yaml", "--set", "workers=[2, 5]", "--no-plot"}), 0);
  EXPECT_EQ(err, "2 of 4 points reused\n");
  EXPECT_EQ(read("results/small/results.csv"), whole);
  EXPECT_THAT(out, HasSubstr("results: results/small@workers=2,5/results.csv\n"));
  EXPECT_EQ(points("results/small@workers=2,5").size(), 4U);
  const std::string mapping = "model={kind: synthetic, compute: 1 ms}";
  ASSERT_EQ(run({"simulate", "small.yaml", "--set", mapping, "--no-plot"}), 0);
  EXPECT_THAT(out, testing::ContainsRegex(
                       "results: results/small@model=kind:synthetic,compute:1ms-[0-9a-f]{8}/"));
  ASSERT_EQ(run({"simulate", "small.yaml", "--set", "machine=../x/dgx1-p100", "--no-plot"}), 2);
  ASSERT_EQ(run({"simulate", "small.yaml", "--seed", "7", "--no-plot"}), 0);
  EXPECT_TRUE(std::filesystem::exists("results/small@seed=7/results.csv"));
}

// Bounds judge results and change none.
TEST_F(Simulate, ExpectationsDoNotChangeTheFolder) {
  ASSERT_EQ(run({"simulate", "small.yaml", "--no-plot"}), 0);
  ASSERT_EQ(run({"simulate", "small.yaml", "--set", "expect={efficiency: '>= 1 %'}", "--set",
                 "expect.efficiency='>= 2 %'", "--no-plot"}),
            0)
      << err;
  EXPECT_EQ(err, "8 of 8 points reused\n");
  EXPECT_THAT(out, HasSubstr("results: results/small/results.csv\n"));
}

TEST_F(Simulate, TheAnswerComesFirst) {
  ASSERT_EQ(run({"simulate", "small.yaml", "--no-plot"}), 0);
  EXPECT_THAT(out, StartsWith("Fastest at 4 workers: async, "));
  EXPECT_THAT(out, HasSubstr(" x sync per sample.\n"));
  EXPECT_THAT(read("results/small/manifest.json"),
              HasSubstr("\"findings\": [\n    \"Fastest at 4 workers: async, "));
  EXPECT_EQ(err, "");
}

TEST_F(Simulate, AFolderThatCannotBeWrittenIsReportedBeforeSimulating) {
  write("file", "");
  EXPECT_EQ(run({"simulate", "small.yaml", "-o", "file"}), 2);
  EXPECT_EQ(err,
            "paceline: error: cannot make folder file (Not a directory): give another folder with "
            "-o\n");
}

TEST_F(Simulate, FormatsOfFiguresAreChecked) {
  EXPECT_EQ(run({"simulate", "small.yaml", "--plot", "svg,jpg"}), 2);
  EXPECT_EQ(err, "paceline: error: unknown figure format 'jpg' (known: svg, pdf, png)\n");
}

TEST_F(Simulate, PrintsJsonForPrograms) {
  ASSERT_EQ(run({"simulate", "small.yaml", "--json", "--set", "workers=2", "--set", "update=sync"}),
            0);
  EXPECT_THAT(out,
              StartsWith("[\n  {\n    \"experiment\": \"small\",\n    \"source\": \"theory\","));
  EXPECT_THAT(out, HasSubstr("\"workers\": 2,"));
  EXPECT_THAT(out, testing::EndsWith("]\n"));
}

TEST_F(Simulate, PrintsOneJsonListOfSeveralFiles) {
  std::string other = kExperiment;
  write("other.yaml", other.replace(other.find("small"), 5, "other"));
  ASSERT_EQ(run({"simulate", "small.yaml", "other.yaml", "--json", "--set", "workers=2", "--set",
                 "update=sync"}),
            0)
      << err;
  const Tree rows = parse_yaml("out.json", out);  // JSON is YAML
  std::vector<std::string> experiments;
  for (const Tree& row : rows.items) experiments.push_back(row.find("experiment")->text);
  EXPECT_EQ(experiments, (std::vector<std::string>{"small", "small", "other", "other"}));
}

TEST_F(Simulate, QuietPrintsNothingToStdout) {
  ASSERT_EQ(run({"simulate", "small.yaml", "--quiet"}), 0);
  EXPECT_EQ(out, "");
}

TEST_F(Simulate, SeveralFilesHaveAFolderEach) {
  write("other.yaml", std::string(kExperiment) + "seed: 5\n");
  EXPECT_EQ(run({"simulate", "small.yaml", "other.yaml"}), 2);
  EXPECT_EQ(err, "other.yaml: error: another file also has the name 'small' (rename one)\n");
  std::string text = read("other.yaml");
  write("other.yaml", text.replace(text.find("small"), 5, "other"));
  ASSERT_EQ(run({"simulate", "small.yaml", "other.yaml", "-o", "both"}), 0) << err;
  EXPECT_TRUE(std::filesystem::exists("both/small/results.csv"));
  EXPECT_TRUE(std::filesystem::exists("both/other/results.csv"));
}

// To refresh after an intended change of predictions (from the root of the sources):
//   paceline simulate tests/cli/golden/dgx1.yaml -o /tmp/golden --quiet &&
//   cp /tmp/golden/results.csv tests/cli/golden/dgx1.csv
TEST_F(Simulate, GoldenResultsStayAsTheyAre) {
  const std::string golden = PACELINE_SOURCE_DIR "/tests/cli/golden/dgx1";
  ASSERT_EQ(run({"simulate", golden + ".yaml", "-o", "dir"}), 0) << err;
  EXPECT_EQ(read("dir/results.csv"), read(golden + ".csv"));
}

TEST_F(Simulate, APointThatDivergesIsARowAndTheOthersGoOn) {
  write("learn.yaml",
        "name: learn\nmodel: {kind: linear, inputs: 4}\nmachine: ideal\nsoftware: ideal\nbatch: 4\n"
        "workers: 2\nsteps: 50\nwarmup: 1\ntrain: {dataset: least-squares}\n"
        "optimizer: [{kind: sgd, learning_rate: 0.05}, {kind: sgd, learning_rate: 9}]\n"
        "stragglers: {compute: {kind: exponential, mean: 1 ms}}\n");
  ASSERT_EQ(run({"simulate", "learn.yaml"}), 0) << err;
  const std::string csv = read("results/learn/results.csv");
  EXPECT_THAT(csv,
              testing::ContainsRegex("learn,predicted,[^\n]*,ok\n|learn,predicted,[^\n]*,ok,"));
  EXPECT_THAT(csv, testing::ContainsRegex("learn,predicted,[^\n]*,diverged at update [0-9]+ "));
  // the point is finished, so it is not run again
  const auto before = points("results/learn");
  ASSERT_EQ(run({"simulate", "learn.yaml"}), 0) << err;
  EXPECT_EQ(points("results/learn"), before);
  EXPECT_EQ(read("results/learn/results.csv"), csv);
}

TEST_F(Simulate, ALossThatIsNoNumberIsAFailure) {
  write("learn.yaml",
        "name: learn\nmodel: {kind: mlp, inputs: 2, hidden: [16], classes: 10}\nmachine: ideal\n"
        "batch: 1\nsteps: 1\nwarmup: 0\ntrain: {held_out: 2}\n"
        "optimizer: {kind: sgd, learning_rate: 1e30}\n");
  EXPECT_EQ(run({"simulate", "learn.yaml"}), 1);
  EXPECT_THAT(err, HasSubstr("predicted: diverged at update 1 (held-out loss "));
  EXPECT_THAT(read("results/learn/results.csv"),
              HasSubstr(",diverged at update 1 (held-out loss "));
}

}  // namespace
}  // namespace paceline
