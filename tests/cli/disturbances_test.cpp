// SPDX-License-Identifier: MIT
// Other programs, and arithmetic that takes another time than at calibration.
#include "cli/disturbances.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/core_times.hpp"
#include "tests/cli/result_rows.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Predicted and measured rows of two points; their arithmetic takes `seconds` for 10 ms.
std::vector<ResultRow> rows_of(const ExperimentFile& file, double seconds,
                               const std::vector<double>& other_cores) {
  std::vector<ResultRow> rows;
  for (ResultRow row : test::predicted(file, {100, 200})) {
    row.layer_times = "measured";
    row.measurement.compute = 0.010;
    rows.push_back(row);
    row.source = Source::measured;
    row.measurement.compute = seconds;
    row.measurement.other_cores = other_cores.at(row.index);
    rows.push_back(row);
  }
  return rows;
}

TEST(Disturbances, NameOtherProgramsAndLongerArithmetic) {
  const ExperimentFile file = test::load("workers: [1, 2]\n");
  EXPECT_THAT(
      disturbances(rows_of(file, 0.0109, {0.05, 1.4}), 2),
      ElementsAre("Other programs used 1.4 of 2 cores during 1 of 2 measured points: these "
                  "times are longer than on a quiet computer (measure again when it is).",
                  "Arithmetic took 9.0 % longer than at calibration (median of 2 points)."));
  EXPECT_THAT(disturbances(rows_of(file, 0.0102, {0.05, 0.1}), 2), IsEmpty());
}

// Two cores of three count; user includes the time of guests, the ninth number and on.
TEST(CoreTimes, AreOfTheCoresOfThisProcess) {
  std::istringstream stat(
      "cpu  900 0 0 0 0 0 0 0 0 0\n"
      "cpu0 100 10 20 5000 300 1 2 4 50 0\n"
      "cpu1 200 0 0 0 0 0 0 0 0 0\n"
      "cpu2 63 0 0 0 0 0 0 0 0 0\n"
      "intr 5 6 7\n");
  EXPECT_DOUBLE_EQ(busy_seconds(stat, {0, 2}, 100), 2.0);
}

TEST(CoreTimes, OthersHaveWhatThisProcessHasNot) {
  EXPECT_DOUBLE_EQ(*cores_of_others({10, 1, 100}, {16, 3, 102}), 2);
  EXPECT_DOUBLE_EQ(*cores_of_others({10, 1, 100}, {12, 4, 102}), 0) << "a tick is 10 ms";
  EXPECT_FALSE(cores_of_others({10, 1, 100}, {10.1, 1, 100.1})) << "too short for ticks";
}

}  // namespace
}  // namespace paceline
