// SPDX-License-Identifier: MIT
/// \file
/// Selects the point that `explain` describes. Among the points with the most workers, it is the
/// fastest if they differ only in the update or the aggregation, otherwise the first.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

struct ExplainedPoint {
  const ExperimentPoint* point = nullptr;
  std::size_t index = 0;  ///< index in the file
  /// The comparison with the other points, as the end of a sentence: "at 8 workers async is the
  /// fastest of 2, 6.8 % above sync (...)"; "" if there is none.
  std::string comparison;
};

/// Selects the point. Points without a prediction are selected only if no other exists.
ExplainedPoint choose_point(const ExperimentFile& file, Device device, const Profile* profile);

/// "point 8 of 8: workers=8, update=async"; "" if the file has a single point.
std::string place_of(const ExplainedPoint& chosen, const ExperimentFile& file);

}  // namespace paceline
