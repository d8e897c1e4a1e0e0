// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

// 10 samples in 10 ms: 1000 samples/s for one worker, 2000 for two
constexpr const char* kTwoPoints =
    "name: bounds\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nbatch: 10\n"
    "machine: ideal\nsoftware: {}\naggregation: independent\nsteps: 5\nwarmup: 1\n"
    "workers: [1, 2]\n";

class ExpectTest : public CommandTest {
 protected:
  int simulate(const std::string& expect) {
    write("bounds.yaml", kTwoPoints + ("expect: " + expect + "\n"));
    return run({"simulate", "bounds.yaml", "--quiet", "--no-plot"});
  }
};

TEST_F(ExpectTest, NothingIsSaidWhereAllBoundsHold) {
  EXPECT_EQ(simulate("{throughput: '>= 999 samples/s', step_s_mean: <= 10.1 ms}"), 0) << err;
  EXPECT_EQ(err, "");
}

TEST_F(ExpectTest, EachPointThatMissesABoundIsALine) {
  EXPECT_EQ(simulate("{throughput: '>= 1500 samples/s'}"), 1);
  EXPECT_EQ(err,
            "point 0 (1 worker): throughput is 1000 samples/s predicted; expected >= 1500 "
            "samples/s\n");
  EXPECT_EQ(simulate("{step_s_mean: < 9 ms}"), 1);
  EXPECT_EQ(err,
            "point 0 (1 worker): step_s_mean is 10.00 ms predicted; expected < 9 ms\n"
            "point 1 (2 workers): step_s_mean is 10.00 ms predicted; expected < 9 ms\n");
}

TEST_F(ExpectTest, AStrictBoundExcludesItsLimit) {
  EXPECT_EQ(simulate("{delay_s: <= 0 ms}"), 0) << err;
  EXPECT_EQ(simulate("{delay_s: < 0 ms}"), 1);
  EXPECT_THAT(err, HasSubstr("(1 worker): delay_s is 0 ms predicted; expected < 0 ms\n"));
}

TEST_F(ExpectTest, EveryUnitIsThatOfItsColumn) {
  EXPECT_EQ(simulate("{idle_share: <= 1 %, utilization: '> 99 %', staleness_max: <= 0 versions, "
                     "updates_per_s: '> 1 1/s', total_h: < 1 min, compute_s: < 0.011 s, "
                     "updates: '>= 5', memory_bytes_peak: <= 1 GB}"),
            0)
      << err;
  EXPECT_EQ(simulate("{total_h: < 1 ms, utilization: < 99 %}"), 1);
  EXPECT_THAT(err, HasSubstr("(1 worker): total_h is "));
  EXPECT_THAT(err, HasSubstr(" ms predicted; expected < 1 ms\n"));
  EXPECT_THAT(err, HasSubstr("utilization is 100.0 % predicted; expected < 99 %\n"));
}

TEST_F(ExpectTest, ABlankCellMissesItsBound) {
  EXPECT_EQ(simulate("{time_to_target_s: <= 1 h}"), 1);
  EXPECT_THAT(err, HasSubstr("time_to_target_s is blank predicted; expected <= 1 h\n"));
}

TEST_F(ExpectTest, AnErrorNeedsAnObservation) {
  EXPECT_EQ(simulate("{error: <= 0 %}"), 0) << err;
}

// The published row is of two workers at 1000 samples/s; the prediction is 2000.
TEST_F(ExpectTest, TheErrorIsThatAgainstAPublishedRow) {
  write("rows.csv", "workers,throughput,source\n2,1000,a table\n");
  const std::string published = "published: {table: rows.csv, calibrate: false}\n";
  write("bounds.yaml", kTwoPoints + published + "expect: {error: <= 5 %}\n");
  EXPECT_EQ(run({"simulate", "bounds.yaml", "--quiet", "--no-plot"}), 1);
  EXPECT_EQ(err, "point 1 (2 workers): error is 100.0 % against published; expected <= 5 %\n");
  write("bounds.yaml", kTwoPoints + published + "expect: {error: <= 101 %}\n");
  EXPECT_EQ(run({"simulate", "bounds.yaml", "--quiet", "--no-plot"}), 0) << err;
}

TEST_F(ExpectTest, AMissedBoundLeavesFinishedPointsAsTheyAre) {
  ASSERT_EQ(simulate("{throughput: '>= 1500 samples/s'}"), 1);
  std::vector<std::string> before;
  for (const auto& file : std::filesystem::directory_iterator("results/bounds/points")) {
    before.push_back(file.path().filename());
  }
  ASSERT_EQ(simulate("{throughput: '>= 1000 samples/s'}"), 0) << err;
  std::size_t after = 0;
  for (const auto& file : std::filesystem::directory_iterator("results/bounds/points")) {
    EXPECT_THAT(before, testing::Contains(file.path().filename().string()));
    ++after;
  }
  EXPECT_EQ(after, before.size());
}

TEST_F(ExpectTest, AWrongBoundIsRefusedAtItsPlace) {
  EXPECT_EQ(simulate("{througput: '>= 1 samples/s'}"), 2);
  EXPECT_THAT(err, testing::StartsWith("bounds.yaml:10:10: error: unknown result column "
                                       "'througput' (did you mean 'throughput'? known: error, "));
  EXPECT_EQ(simulate("{throughput: 1000 samples/s}"), 2);
  EXPECT_EQ(err,
            "bounds.yaml:10:22: error: '1000 samples/s' is not a bound (write <=, <, >= or > and "
            "a value: '<= 10 items/s')\n");
  EXPECT_EQ(simulate("{throughput: '>= 1000'}"), 2);
  EXPECT_EQ(err,
            "bounds.yaml:10:22: error: '1000' is not a throughput (write a number and items/s)\n");
  EXPECT_EQ(simulate("{error: <= 5}"), 2);
  EXPECT_THAT(err, testing::StartsWith("bounds.yaml:10:17: error: '5' is not a share"));
  EXPECT_EQ(simulate("{throughput: '>= 1000 images/s'}"), 2);
  EXPECT_EQ(err,
            "bounds.yaml:10:22: error: the throughput of 'synthetic' is in samples/s, and this "
            "bound in images/s\n");
  EXPECT_EQ(simulate("{workers: <= 2}"), 2);  // a setting, not a result
  EXPECT_THAT(err, HasSubstr("unknown result column 'workers'"));
  EXPECT_EQ(simulate("fast"), 2);
  EXPECT_EQ(err,
            "bounds.yaml:10:9: error: expected a mapping of result columns to bounds, found "
            "'fast'\n");
}

}  // namespace
}  // namespace paceline
