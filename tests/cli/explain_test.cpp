// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kExperiment = R"(name: small
model: {kind: synthetic, compute: 10 ms, gradient: 1 MB}
machine: dgx1-p100
workers: [2, 4]
steps: 4
)";

/// The width of the longest line.
std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST_F(CommandTest, ExplainOfALibraryWithoutTimesIsOneLine) {
  write("amd.yaml",
        "name: amd\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nworkers: 2\n"
        "machine:\n  gpus: [{model: {of: mi300x, nvlink: nvlink-c2c}, count: 2}]\n"
        "  host: {cores: 4, memory_bandwidth: 50 GB/s}\n"
        "  link_types:\n    pcie: {kind: pcie, bandwidth: 64 GB/s, source: test}\n"
        "    xgmi: {kind: nvlink, bandwidth: 64 GB/s, source: test}\n"
        "  links:\n    - {type: pcie, from: cpu0, to: [gpu0, gpu1]}\n"
        "    - {type: xgmi, from: gpu0, to: [gpu1]}\n"
        "aggregation: {kind: allreduce, algorithm: nccl}\nsteps: 4\n");
  const std::string expected =
      "paceline: error: no times of NCCL over 'nvlink-c2c' (software: {collective: {model: rings}} "
      "predicts without them)\n";
  EXPECT_EQ(run({"explain", "amd.yaml"}), 2);
  EXPECT_EQ(err, expected);
  EXPECT_EQ(run({"explain", "amd.yaml", "--set", "software={collective: {model: rings}}"}), 0);
}

TEST_F(CommandTest, ExplainShowsStepRouteAndSources) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "workers=2"}), 0) << err;
  EXPECT_EQ(err, "");
  EXPECT_THAT(out, testing::StartsWith("compute-bound: 96.3 % of a step is arithmetic; "));
  EXPECT_THAT(out, HasSubstr("layer times: 3.333 ms forward, 6.667 ms backward; given by"));
  EXPECT_THAT(out, HasSubstr("synthetic, 2 workers on dgx1-p100, parameter-server, sync"));
  EXPECT_THAT(out, HasSubstr("communication that workers wait for"));
  EXPECT_THAT(out, HasSubstr("worker 0 -> server and 1 more"));
  EXPECT_THAT(out, HasSubstr("plx0->cpu0"));
  EXPECT_THAT(out, HasSubstr("10.00 ms  96.3 %"));
  EXPECT_THAT(out, HasSubstr("PCIe twice as fast"));
  EXPECT_LE(width_of(out), 80U);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(CommandTest, ExplainShowsThePaddingOfUnequalLengths) {
  write("lengths.yaml",
        "name: lengths\nmodel: lstm_imdb\nmachine: dgx1-p100\nworkers: 4\nsteps: 20\nlengths:\n"
        "  distribution: {kind: table, lengths: [{length: 40, share: 50 %}, {length: 50, share: 10 "
        "%},\n    {length: 100, share: 40 %}]}\n  buckets: 2\n");
  ASSERT_EQ(run({"explain", "lengths.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("positions on average (the layer times are of 100)"));
  EXPECT_THAT(out, HasSubstr("padding is "));
  EXPECT_THAT(out, HasSubstr("one bucket for all workers"));
  ASSERT_EQ(run({"explain", "lengths.yaml", "--json"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\"length_mean\""));
}

TEST_F(CommandTest, ExplainTakesTheLargestPoint) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(
      run({"explain", "small.yaml", "--set", "aggregation={kind: allreduce, algorithm: ring}"}), 0);
  EXPECT_EQ(err, "");
  EXPECT_THAT(out, HasSubstr("point 2 of 2: workers=4 (choose another with --set)\n"));
  EXPECT_THAT(out, HasSubstr("worker 0 -> worker 1"));
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "machine=ideal"}), 0);
  EXPECT_THAT(out, HasSubstr("transfers: free on 'ideal'"));
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "aggregation=independent"}), 0);
  EXPECT_THAT(out, HasSubstr("transfers: none"));
}

// With these delays, an update of 4 gradients waits for the longest; asynchronous workers do not
// wait.
TEST_F(CommandTest, ExplainSaysWhichUpdateIsFastest) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "update=[sync, async]", "--set", "machine=ideal",
                 "--set", "stragglers.compute={kind: exponential, mean: 5 ms}"}),
            0)
      << err;
  EXPECT_THAT(out, testing::StartsWith("at 4 workers async is "));
  EXPECT_THAT(out, HasSubstr("% faster than sync ("));
  EXPECT_THAT(out, HasSubstr("point 4 of 4: workers=4, update=async"));
}

// 8 workers without jitter: their gradients arrive in a burst, during which the server is the
// critical path.
TEST_F(CommandTest, ExplainWalksThePathOverAllUpdates) {
  write("burst.yaml",
        "name: burst\nmodel: {kind: synthetic, compute: 290 ms, gradient: 100 MB}\n"
        "machine: dgx1-v100\nworkers: 8\nupdate: async\nsteps: 10\n");
  ASSERT_EQ(run({"explain", "burst.yaml"}), 0) << err;
  EXPECT_THAT(out, testing::StartsWith("compute-bound: 9"));
  const std::size_t path = out.find("critical path, per update");
  ASSERT_NE(path, std::string::npos);
  const std::size_t first = out.find('\n', path) + 1;
  EXPECT_EQ(out.substr(first, 8), "backward") << out.substr(path);
}

// NCCL's rings use NVLink, whatever the order of the ranks.
TEST_F(CommandTest, ExplainShowsTheRingsThatNcclLays) {
  write("rings.yaml",
        "name: rings\nmodel: {kind: synthetic, compute: 10 ms, gradient: 100 MB}\n"
        "machine: dgx1-v100\nworkers: 8\naggregation: {kind: allreduce, algorithm: nccl}\n"
        "steps: 4\n");
  ASSERT_EQ(run({"explain", "rings.yaml"}), 0) << err;
  EXPECT_THAT(out, Not(HasSubstr("staged")));
  EXPECT_THAT(out, Not(HasSubstr("pcie")));
  EXPECT_THAT(out, HasSubstr("ring 1: 0 -> "));
  EXPECT_THAT(out, HasSubstr("x nvlink gpu->gpu"));
  EXPECT_THAT(out, HasSubstr("rings, by worker:\n  1: 0 "));
}

TEST_F(CommandTest, ExplainLeavesRoundingOut) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "aggregation=independent", "--set",
                 "model=resnet50", "--set", "steps=20"}),
            0)
      << err;
  EXPECT_THAT(out, Not(HasSubstr("0.00000")));
  EXPECT_THAT(out, Not(HasSubstr("communication that workers wait for")));
  EXPECT_THAT(out, Not(HasSubstr("input")));
  EXPECT_THAT(out, testing::ContainsRegex("\nand [0-9]+ more\n"));  // the path has more rows than
                                                                    // are shown
}

// Layers of one kind have one row per pass, so forward has a row too.
TEST_F(CommandTest, ExplainSumsLayersByKind) {
  write("deep.yaml",
        "name: deep\nmodel: {kind: synthetic, compute: 180 ms, gradient: 100 MB, tensors: 60}\n"
        "machine: dgx1-v100\nworkers: 8\naggregation: {kind: allreduce, algorithm: nccl}\n"
        "steps: 4\n");
  ASSERT_EQ(run({"explain", "deep.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\nbackward synthetic"));
  EXPECT_THAT(out, HasSubstr("\nforward synthetic"));
  EXPECT_LE(width_of(out), 80U);
}

TEST_F(CommandTest, ExplainPrintsJson) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--json"}), 0) << err;
  EXPECT_THAT(out, testing::StartsWith("["));
  EXPECT_THAT(out, HasSubstr("\"point\": {\n      \"workers\": \"4\"\n    }"));
  EXPECT_THAT(out, HasSubstr("\"verdict\": \"compute-bound: "));
  EXPECT_THAT(out, HasSubstr("\"PCIe twice as fast\": 0"));
}

TEST_F(CommandTest, ExplainShowsWhatAVirtualGpuIs) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "workers=2", "--set", "machine=h200", "--set",
                 "devices={virtual: 8, split: green}"}),
            0)
      << err;
  // 4800 GB/s x 90 %, and 16 x 126.7 GB/s x 90 %
  EXPECT_THAT(out,
              HasSubstr("virtual GPUs: 16 of 132 multiprocessors each; memory gives 4.320 TB/s "
                        "to all, at\n  most 1.824 TB/s to one\n"));
}

// A measurement of real training has an input; a sentence of the answer says that it is missing.
TEST_F(CommandTest, APublishedTableWithoutAnInputIsAnUpperBound) {
  write("small.yaml", std::string(kExperiment) + "published: {table: small.csv}\n");
  write("small.csv", "workers,throughput,source\n1,3200,a table\n2,6000,a table\n");
  ASSERT_EQ(run({"explain", "small.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\nInput not described: the prediction is an upper bound ("));
  ASSERT_EQ(run({"simulate", "small.yaml", "--no-plot"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\nInput not described: the predictions are upper bounds ("));
  ASSERT_EQ(run({"simulate", "small.yaml", "--no-plot", "--set", "input=synthetic"}), 0) << err;
  EXPECT_THAT(out, Not(HasSubstr("Input not described")));
}

TEST_F(CommandTest, ValidateNeedsAPublishedTable) {
  write("small.yaml", kExperiment);
  EXPECT_EQ(run({"validate", "small.yaml"}), 2);
  EXPECT_EQ(err,
            "small.yaml: error: the file names no published table to compare with (published: "
            "{table: FILE.csv}; paceline simulate predicts without one)\n");
}

TEST_F(CommandTest, ValidateComparesWithPerfectScaling) {
  write("small.yaml", std::string(kExperiment) + "published: {table: small.csv}\n");
  write("small.csv", "workers,throughput,source\n1,3200,a table\n2,6000,a table\n4,8000,a table\n");
  ASSERT_EQ(run({"validate", "small.yaml"}), 0) << err;
  // 2 workers: 6400 / 6000 - 1 = 6.7 %; 4 workers: 12800 / 8000 - 1 = 60 %; between them 33.3 %
  EXPECT_THAT(out, HasSubstr("published samples/s"));
  EXPECT_THAT(out, testing::ContainsRegex("\n2 workers +6000"));
  EXPECT_THAT(out, HasSubstr("+60.0 %"));
  EXPECT_THAT(out,
              HasSubstr("small, perfect scaling: median |error| 33.3 %, 95th percentile 57.3 %, "
                        "2 rows\n"));
  EXPECT_THAT(out, HasSubstr("\nsmall: median |error| "));
  EXPECT_THAT(out, HasSubstr("\nsmall, input: not described\n"));
  EXPECT_THAT(out, HasSubstr("0 fitted constants"));
  EXPECT_THAT(out, Not(HasSubstr("failed")));
  EXPECT_FALSE(std::filesystem::exists("results"));
  ASSERT_EQ(run({"validate", "small.yaml", "--quiet"}), 0) << err;
  EXPECT_THAT(out, testing::StartsWith("overall: median |error| "));
  ASSERT_EQ(run({"validate", "small.yaml", "--set", "workers=[1, 2]"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("\n1 worker [ 0-9.]*calibration\n"));
  EXPECT_THAT(out, HasSubstr("small: median |error| 4.9 %, 95th percentile 4.9 %, 1 row,"));
  EXPECT_THAT(out, testing::EndsWith("\n1 row sets the cost of arithmetic and is not "
                                     "counted.\n"));
}

// The only row has two workers. Beside other points it sets the cost of all of them, its own too,
// and is no evidence; alone it would hide its own error.
TEST_F(CommandTest, TheOnlyRowOfSeveralWorkersSetsTheCostOfOtherPoints) {
  write("small.yaml", std::string(kExperiment) + "published: {table: small.csv}\n");
  write("small.csv", "workers,throughput\n2,3000\n");
  ASSERT_EQ(run({"validate", "small.yaml", "--set", "workers=[2, 4]"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("\n2 workers +3000 +3000 +calibration "));
  EXPECT_THAT(out, testing::EndsWith("\n1 row sets the cost of arithmetic and is not counted.\n"));
  ASSERT_EQ(run({"validate", "small.yaml", "--set", "workers=2"}), 0) << err;
  EXPECT_THAT(out, Not(HasSubstr("calibration")));
  EXPECT_THAT(out, HasSubstr("1 row, 0 fitted constants"));
  ASSERT_EQ(run({"simulate", "small.yaml", "--set", "workers=[2, 4]", "--no-plot"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("\n +2 +3000 +3000 "));
}

TEST_F(CommandTest, ARowOfMoreWorkersThanGpusSetsNoCost) {
  write("large.yaml", std::string(kExperiment) + "published: {table: large.csv}\n");
  write("large.csv", "workers,throughput\n16,2000\n32,3800\n");
  EXPECT_EQ(run({"check", "large.yaml"}), 2);
  EXPECT_THAT(err, HasSubstr("the row of the fewest workers has 16, and machine '"));
  EXPECT_THAT(err, HasSubstr(" 8 GPUs (add a row of fewer workers)"));
}

// Without calibration, the row of one worker is compared like any other; perfect scaling starts
// from it.
TEST_F(CommandTest, ValidateCountsOneWorkerOfARoofline) {
  write("small.yaml", std::string(kExperiment) + "published: {table: small.csv}\n");
  write("small.csv", "workers,throughput,source\n1,3200,a table\n2,6000,a table\n");
  ASSERT_EQ(
      run({"validate", "small.yaml", "--set", "workers=[1, 2]", "--set", "layer_times=roofline"}),
      0)
      << err;
  EXPECT_THAT(out, testing::ContainsRegex("\nsmall: median .error. [^\n]*, 2 rows, 0 fitted"));
  EXPECT_THAT(out, HasSubstr("small, perfect scaling: median |error| 6.7 %, 95th percentile 6.7 %, "
                             "1 row\n"));
  EXPECT_THAT(out, Not(HasSubstr("calibration")));
  EXPECT_THAT(out, Not(HasSubstr("the cost of arithmetic")));
}

// The first row was fitted on; its error is never counted with that of the second.
TEST_F(CommandTest, ValidateCountsFittedRowsApart) {
  write("small.yaml", std::string(kExperiment) +
                          "published: {table: small.csv, calibrate: false, fitted: odd}\n");
  write("small.csv",
        "workers,throughput,source,note\n2,6000,a table,\n4,1000,a table,bound by its input\n");
  ASSERT_EQ(run({"validate", "small.yaml"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("\nsmall, in sample: median [^\n]*, 1 row, 0 fitted"));
  EXPECT_THAT(out, testing::ContainsRegex("\nsmall, out of sample: median [^\n]*, 1 row\n"));
  EXPECT_THAT(out, testing::ContainsRegex("\n2 workers [^\n]* fitted"));
  ASSERT_EQ(run({"validate", "small.yaml", "--markdown"}), 0) << err;
  EXPECT_THAT(out, testing::StartsWith("# Validation against published tables\n"));
  EXPECT_THAT(out, HasSubstr("| [small](#small) | 1 | "));
  EXPECT_THAT(out, HasSubstr("\nInput: not described\n\n| point |"));
  EXPECT_THAT(out, testing::ContainsRegex("\n. 4 workers . 1000 . [0-9]+ . [^|]* . out . "));
  EXPECT_THAT(out, HasSubstr(" %: bound by its input.\n"));
}

// Regression: rows with mappings of one kind had the same name. The error shown is that of the
// throughput shown.
TEST_F(CommandTest, ValidateDistinguishesPoints) {
  write("ssp.yaml",
        "name: ssp\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
        "batch: 32\nsteps: 20\nworkers: 2\n"
        "update: [{kind: ssp, slack: 1}, {kind: ssp, slack: 3}]\n"
        "published: {table: ssp.csv, calibrate: false}\n");
  write("ssp.csv", "update.slack,throughput,source\n1,5000,a table\n3,5000,a table\n");
  ASSERT_EQ(run({"validate", "ssp.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("ssp slack=1 "));
  EXPECT_THAT(out, HasSubstr("ssp slack=3 "));
  EXPECT_THAT(out, HasSubstr("+28.0 %")) << "64 samples in 10 ms";
  ASSERT_EQ(run({"validate", "ssp.yaml", "--quiet", "--json"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\"point\": \"ssp slack=3\""));
  EXPECT_THAT(out, HasSubstr("\"error\": 0.28"));
  EXPECT_THAT(out, HasSubstr("\"counted\": true"));
}

}  // namespace
}  // namespace paceline
