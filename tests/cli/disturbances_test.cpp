// SPDX-License-Identifier: MIT
// Other programs, and arithmetic that takes another time than at calibration.
#include "cli/disturbances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace paceline
