// SPDX-License-Identifier: MIT
/// \file
/// Which point of an experiment `explain` looks at: of those with the most workers the fastest,
/// where they differ in the update or the aggregation alone; else the first.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"

namespace paceline {

struct ExplainedPoint {
  const ExperimentPoint* point = nullptr;
  std::size_t index = 0;  ///< in the file
  /// How it compares with the others, to be read on: "at 8 workers async is the fastest of 2
  /// updates, 6.8 % above sync"; "" where there are none.
  std::string comparison;
};

/// Points that cannot be predicted are passed over while another can.
ExplainedPoint choose_point(const ExperimentFile& file, Device asked, const Profile* profile);

/// "point 8 of 8: workers=8, update=async"; "" of a single point.
std::string place_of(const ExplainedPoint& chosen, const ExperimentFile& file);

}  // namespace paceline
