// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Results folders with rows of a test's choice.
class DiffTest : public CommandTest {
 protected:
  static constexpr const char* kHeader =
      "source,model,workers,throughput,throughput_stderr,item,swept.workers\n";
  static void folder(const std::string& name, const std::string& rows) {
    std::filesystem::create_directory(name);
    write(name + "/results.csv", kHeader + rows);
  }
};

TEST_F(DiffTest, EqualResultsHaveNotChanged) {
  folder("a", "predicted,mlp,1,1000,0,samples,1\nmeasured,mlp,1,900,,samples,1\n");
  EXPECT_EQ(run({"diff", "a", "a"}), 0) << err;
  EXPECT_EQ(out,
            "point     source     A: samples/sec  B: samples/sec  change\n"
            "1 worker  predicted            1000            1000    none\n"
            "1 worker  measured            900.0           900.0    none\n"
            "\n"
            "Of 2 figures in both, none changed beyond the noise.\n");
}

TEST_F(DiffTest, AnyDifferenceOfAPredictionIsAChange) {
  folder("a", "predicted,mlp,1,1000,5,samples,1\n");
  folder("b", "predicted,mlp,1,1001,5,samples,1\n");
  EXPECT_EQ(run({"diff", "a", "b"}), 1);
  EXPECT_THAT(out, HasSubstr("1 worker  predicted     1000 +- 5.0     1001 +- 5.0  +0.1 %  "
                             "beyond the noise\n"));
  folder("c", "predicted,mlp,1,1000.0000000000001,5,samples,1\n");  // the last digit
  EXPECT_EQ(run({"diff", "a", "c"}), 0) << out;
}

// The standard error of the difference is 5 for standard errors of 3 and 4.
TEST_F(DiffTest, AMeasurementChangesByMoreThanTwoStandardErrors) {
  folder("a", "measured,mlp,1,1000,3,samples,1\n");
  folder("b", "measured,mlp,1,1009.9,4,samples,1\n");
  folder("c", "measured,mlp,1,1010.1,4,samples,1\n");
  EXPECT_EQ(run({"diff", "a", "b"}), 0);
  EXPECT_THAT(out, HasSubstr("+1.0 %\n"));
  EXPECT_EQ(run({"diff", "a", "c"}), 1);
  EXPECT_THAT(out, HasSubstr("+1.0 %  beyond the noise\n"));
  EXPECT_THAT(out, HasSubstr("Of 1 figure in both, 1 changed beyond the noise.\n"));
}

TEST_F(DiffTest, TheNoiseOfOneRepeatIsUnknown) {
  folder("a", "measured,mlp,1,1000,,samples,1\n");
  folder("b", "measured,mlp,1,1100,4,samples,1\n");
  EXPECT_EQ(run({"diff", "a", "b"}), 0);
  EXPECT_THAT(out, HasSubstr("+10.0 %  noise unknown\n"));
  EXPECT_THAT(out, HasSubstr("The noise of 1 figure is unknown: "));
}

TEST_F(DiffTest, APointThatOneFolderHasIsAChange) {
  folder("a", "predicted,mlp,1,1000,,samples,1\npredicted,mlp,2,1900,,samples,2\n");
  folder("b", "predicted,mlp,1,1000,,samples,1\npredicted,mlp,2,,,samples,2\n");  // failed
  EXPECT_EQ(run({"diff", "a", "b"}), 1);
  EXPECT_THAT(out, HasSubstr("only in A: 2 workers (predicted, 1900)\n"));
  EXPECT_EQ(run({"diff", "b", "a", "--quiet"}), 1);
  EXPECT_EQ(out, "");
}

TEST_F(DiffTest, AKeyThatOneFolderSweepsIsAColumnOfTheOther) {
  folder("a", "predicted,mlp,1,1000,,samples,1\npredicted,mlp,2,1900,,samples,2\n");
  std::filesystem::create_directory("b");
  write("b/results.csv",
        "source,model,workers,throughput,throughput_stderr,item\npredicted,mlp,2,1805,,samples\n");
  EXPECT_EQ(run({"diff", "a", "b"}), 1);
  EXPECT_THAT(out, testing::ContainsRegex("2 workers +predicted +1900 +1805 +-5.0 %"));
  EXPECT_THAT(out, HasSubstr("only in A: 1 worker (predicted, 1000)\n"));
}

TEST_F(DiffTest, JsonHasEveryFigure) {
  folder("a", "measured,mlp,1,1000,3,samples,1\npredicted,mlp,1,1000,,samples,1\n");
  folder("b", "measured,mlp,1,900,,samples,1\n");
  EXPECT_EQ(run({"diff", "a", "b", "--json"}), 1);
  EXPECT_THAT(out, StartsWith("{\n  \"changed\": true,\n  \"points\": [\n    {\n"
                              "      \"point\": \"1 worker\",\n"));
  EXPECT_THAT(out, HasSubstr("\"a\": 1000,\n      \"a_stderr\": 3,\n      \"b\": 900,\n"
                             "      \"b_stderr\": null,\n      \"change\": -0.1,\n"
                             "      \"beyond_noise\": null\n"));
  EXPECT_THAT(out, HasSubstr("\"only_a\": [\n    {\n      \"point\": \"1 worker\",\n"));
  EXPECT_THAT(out, HasSubstr("\"only_b\": []"));
}

TEST_F(DiffTest, ResultsOfTheProgramAreRead) {
  write("sweep.yaml",
        "name: sweep\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nmachine: ideal\n"
        "workers: 2\nupdate: [sync, {kind: k-sync, k: 1}]\nsteps: 5\n"
        "stragglers: {compute: {kind: exponential, mean: 5 ms}}\n");
  ASSERT_EQ(run({"simulate", "sweep.yaml", "--no-plot"}), 0) << err;
  ASSERT_EQ(run({"simulate", "sweep.yaml", "--no-plot", "--seed", "2", "-o", "other"}), 0) << err;
  EXPECT_EQ(run({"diff", "results/sweep", "results/sweep"}), 0) << err;
  EXPECT_EQ(run({"diff", "results/sweep", "other"}), 1) << err;
  EXPECT_THAT(out,
              testing::ContainsRegex("k-sync  predicted +[0-9]+ +[0-9]+ .* beyond the noise\n"));
  EXPECT_THAT(out, testing::Not(HasSubstr("only in")));
}

TEST_F(DiffTest, AFolderWithoutResultsIsRefused) {
  folder("a", "predicted,mlp,1,1000,,samples,1\n");
  EXPECT_EQ(run({"diff", "a"}), 2);
  EXPECT_EQ(err, "paceline: error: give two results folders, the earlier one first\n");
  EXPECT_EQ(run({"diff", "a", "absent"}), 2);
  EXPECT_THAT(err, StartsWith("absent: error: no such folder ("));
  std::filesystem::create_directory("b");
  write("b/results.csv", "source,throughput\n");
  EXPECT_EQ(run({"diff", "a", "b"}), 2);
  EXPECT_EQ(err,
            "b/results.csv:1:1: error: column 'item' is missing\n"
            "b/results.csv:1:1: error: column 'throughput_stderr' is missing\n");
  folder("c", "predicted,mlp,1,fast,,samples,1\npredicted,mlp,1\n");
  EXPECT_EQ(run({"diff", "a", "c"}), 2);
  EXPECT_EQ(err,
            "c/results.csv:2:1: error: column 'throughput': 'fast' is not a number\n"
            "c/results.csv:3:1: error: 3 cells where the header has 7\n");
  write("c/results.csv", "");
  EXPECT_EQ(run({"diff", "a", "c"}), 2);
  EXPECT_EQ(err, "c/results.csv: error: the file is empty\n");
}

}  // namespace
}  // namespace paceline
