// SPDX-License-Identifier: MIT
// One run at a time writes a results folder; the parts of a sweep share it.
#include "cli/results_lock.hpp"

#include <optional>

#include <unistd.h>

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

class ResultsLocks : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);  // the start of the claim
    write("a.yaml",
          "name: a\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
          "workers: [1, 2]\nsteps: 5\nwarmup: 1\n");
    std::filesystem::create_directories("results/a");
  }
  void TearDown() override {
    unsetenv("SOURCE_DATE_EPOCH");
    CommandTest::TearDown();
  }
};

TEST_F(ResultsLocks, ASecondRunSaysWhichProcessHoldsTheFolderAndWritesNothing) {
  const std::string process = std::to_string(::getpid());
  std::optional<ResultsClaim> claim(std::in_place, "results/a", Writers::one,
                                    "paceline run a.yaml");
  EXPECT_EQ(run({"simulate", "a.yaml"}), 1);
  EXPECT_EQ(err, "paceline: error: results/a is written by process " + process +
                     " since 2023-11-14T22:13:20Z (paceline run a.yaml): wait for its end, end it "
                     "with `kill " +
                     process + "`, or give another folder with -o\n");
  EXPECT_EQ(out, "");
  EXPECT_FALSE(std::filesystem::exists("results/a/results.csv"));
  EXPECT_EQ(run({"simulate", "a.yaml", "-o", "other"}), 0) << err;
  claim.reset();
  EXPECT_EQ(run({"simulate", "a.yaml"}), 0) << err;
  EXPECT_FALSE(std::filesystem::exists("results/a/.lock"));
}

TEST_F(ResultsLocks, PartsOfASweepShareTheFolderAndExcludeARunOfAllPoints) {
  std::optional<ResultsClaim> claim(std::in_place, "results/a", Writers::parts,
                                    "paceline simulate a.yaml --shard 1/2");
  EXPECT_EQ(run({"simulate", "a.yaml", "--shard", "2/2"}), 0) << err;
  EXPECT_TRUE(std::filesystem::exists("results/a/.lock")) << "the other part still has its claim";
  EXPECT_EQ(run({"simulate", "a.yaml"}), 1);
  EXPECT_THAT(err, HasSubstr("results/a is written by process "));
  claim.reset();
  EXPECT_FALSE(std::filesystem::exists("results/a/.lock"));
}

// A killed process leaves the file without a lock; on a full disk the file has no text.
TEST_F(ResultsLocks, AFileWithoutALockHoldsNothingAndALockHoldsWithoutText) {
  write("results/a/.lock", "{process: 1, computer: gone, since: then, command: paceline}\n");
  EXPECT_EQ(run({"simulate", "a.yaml"}), 0) << err;
  const ResultsClaim claim("results/a", Writers::one, "paceline");
  write("results/a/.lock", "");
  EXPECT_EQ(run({"simulate", "a.yaml"}), 1);
  EXPECT_THAT(err, HasSubstr("results/a is written by another process: wait for its end, or give "
                             "another folder with -o\n"));
}

}  // namespace
}  // namespace paceline
