// SPDX-License-Identifier: MIT
#include "training/results/published/nccl_tests_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

/// The layout of nccl-tests 2.13, shortened; the figures are invented.
constexpr const char* kLog =
    R"(# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid   1234 on   host device  0 [0x06] Some GPU
#  Rank  1 Group  0 Pid   1234 on   host device  1 [0x07] Some GPU
#
#   size   count   type  redop  root   time   algbw   busbw #wrong   time   algbw   busbw #wrong
       8       2  float    sum    -1  11.50    0.00    0.00      0  10.25    0.00    0.00      0
host: NCCL INFO comm 0x5 rank 0 nranks 2
      16       4  float    sum    -1  12.00    0.00    0.00    N/A  1e+01    0.00    0.00    N/A
# Out of bounds values : 0 OK
)";

TEST(NcclTestsLog, ReadsSizesAndTimesInPlace) {
  const NcclTestsLog log = NcclTestsLog::parse("run.log", kLog);
  EXPECT_EQ(log.ranks, 2);
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(log.find(8)->time.value(), 10.25e-6);
  EXPECT_DOUBLE_EQ(log.find(16)->time.value(), 10e-6);
  EXPECT_EQ(log.find(16)->line, 10);
  EXPECT_EQ(log.find(32), nullptr);
}

TEST(NcclTestsLog, OfAnOldVersionHasNoRoot) {
  const NcclTestsLog log =
      NcclTestsLog::parse("run.log", "  8  2  float  sum  9.5 0.0 0.0 1e-07  8.5 0.0 0.0 1e-07\n");
  EXPECT_EQ(log.ranks, 0);
  EXPECT_DOUBLE_EQ(log.find(8)->time.value(), 8.5e-6);
}

// The labels of `srun -l` and of `mpirun --tag-output`.
TEST(NcclTestsLog, LinesMayHaveTheLabelOfTheirProcess) {
  const std::string row = "  8  2  float  sum  -1  9.5 0.0 0.0 0  8.5 0.0 0.0 0\n";
  for (const std::string label :
       {"0: ", " 12: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[node1:0]<stdout>:"}) {
    const NcclTestsLog log = NcclTestsLog::parse(
        "run.log", label + "#  Rank  0 Group  0 Pid 7 on a device  0 [0x1b] NVIDIA H100\n" + label +
                       "\n" + label + row);
    EXPECT_EQ(log.ranks, 1) << label;
    ASSERT_NE(log.find(8), nullptr) << label;
    EXPECT_DOUBLE_EQ(log.find(8)->time.value(), 8.5e-6);
    EXPECT_EQ(log.find(8)->line, 3);
  }
}

std::string error_of(const std::string& text) {
  try {
    NcclTestsLog::parse("run.log", text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(NcclTestsLog, RefusesOtherTexts) {
  EXPECT_EQ(error_of("# only comments\n"),
            "run.log: error: no row of nccl-tests (give the output of all_reduce_perf or its "
            "siblings)");
  EXPECT_THAT(error_of("#\n 8 2 float sum -1 11.5\n"),
              testing::StartsWith("run.log:2:1: error: not a row of nccl-tests"));
  EXPECT_THAT(error_of(" 8 2 float sum -1 11.5 0 0 0 0 0 0 0\n"),
              testing::StartsWith("run.log:1:1: error: not a row of nccl-tests"));
}

}  // namespace
}  // namespace paceline
