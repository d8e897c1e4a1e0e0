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

TEST_F(CommandTest, ExplainShowsStepRouteAndSources) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "workers=2"}), 0) << err;
  EXPECT_EQ(err, "");
  EXPECT_THAT(out, HasSubstr("synthetic, 2 workers on dgx1-p100, parameter-server, sync"));
  EXPECT_THAT(out, HasSubstr("communication that workers wait for"));
  EXPECT_THAT(out, HasSubstr("worker 1 -> server"));
  EXPECT_THAT(out, HasSubstr("gpu1->plx0, plx0->cpu0"));
  EXPECT_THAT(out, HasSubstr("10.00 ms  96.3 %"));
  EXPECT_THAT(out, HasSubstr("from given 100 %"));
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(CommandTest, ExplainTakesTheFirstOfSeveralPoints) {
  write("small.yaml", kExperiment);
  ASSERT_EQ(
      run({"explain", "small.yaml", "--set", "aggregation={kind: allreduce, algorithm: ring}"}), 0);
  EXPECT_EQ(err, "small.yaml: the first of 2 points (choose another with --set)\n");
  EXPECT_THAT(out, HasSubstr("worker 1 -> worker 0"));
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "machine=ideal"}), 0);
  EXPECT_THAT(out, HasSubstr("they cost nothing"));
  ASSERT_EQ(run({"explain", "small.yaml", "--set", "aggregation=independent"}), 0);
  EXPECT_THAT(out, HasSubstr("transfers: none"));
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
                        "to all, at most 1.824 TB/s to one\n"));
}

TEST_F(CommandTest, ValidateComparesWithPerfectScaling) {
  write("small.yaml", std::string(kExperiment) + "published: {table: small.csv}\n");
  write("small.csv", "workers,throughput,source\n1,3200,a table\n2,6000,a table\n4,8000,a table\n");
  ASSERT_EQ(run({"validate", "small.yaml", "--quiet"}), 0) << err;
  // 2 workers: 6400 / 6000 - 1 = 6.7 %; 4 workers: 12800 / 8000 - 1 = 60 %; between them 33.3 %
  EXPECT_THAT(out, HasSubstr("published samples/s"));
  EXPECT_THAT(out, testing::ContainsRegex("workers 2 +6000"));
  EXPECT_THAT(out, HasSubstr("+60.0 %"));
  EXPECT_THAT(out,
              HasSubstr("small, perfect scaling: median |error| 33.3 %, 95th percentile 57.3 %, "
                        "2 rows\n"));
  EXPECT_THAT(out, HasSubstr("small: median |error| "));
  EXPECT_THAT(out, HasSubstr("0 fitted constants"));
  EXPECT_THAT(out, Not(HasSubstr("failed")));
  EXPECT_FALSE(std::filesystem::exists("results"));
  ASSERT_EQ(run({"validate", "small.yaml", "--quiet", "--set", "workers=[1, 2]"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("workers 1 [ 0-9.]*calibration\n"));
  EXPECT_THAT(out, HasSubstr("small: median |error| 4.9 %, 95th percentile 4.9 %, 1 row,"));
}

// Rows of mappings of one kind had the same name; the error is that of the throughput shown.
TEST_F(CommandTest, ValidateTellsPointsApart) {
  write("ssp.yaml",
        "name: ssp\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
        "batch: 32\nsteps: 20\nworkers: 2\n"
        "update: [{kind: ssp, slack: 1}, {kind: ssp, slack: 3}]\n"
        "published: {table: ssp.csv, calibrate: false}\n");
  write("ssp.csv", "update.slack,throughput,source\n1,5000,a table\n3,5000,a table\n");
  ASSERT_EQ(run({"validate", "ssp.yaml", "--quiet"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("ssp slack 1 "));
  EXPECT_THAT(out, HasSubstr("ssp slack 3 "));
  EXPECT_THAT(out, HasSubstr("+28.0 %")) << "64 samples in 10 ms";
  ASSERT_EQ(run({"validate", "ssp.yaml", "--quiet", "--json"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\"point\": \"ssp slack 3\""));
  EXPECT_THAT(out, HasSubstr("\"error\": 0.28"));
  EXPECT_THAT(out, HasSubstr("\"counted\": true"));
}

}  // namespace
}  // namespace paceline
