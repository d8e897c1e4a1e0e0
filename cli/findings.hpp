// SPDX-License-Identifier: MIT
/// \file
/// Summarises a run's results in sentences, the most important first: the fastest choice at each
/// number of workers and its lead per item, its scaling, and the time to the target. A setting is
/// described by its measured rows if they cover all predicted points, otherwise by its predicted
/// rows. In a run with measurements, sentences on predicted rows say "predicted".
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// The most settings that are described one by one; of more, only the extremes are reported.
constexpr std::size_t kSettingsReported = 3;

/// The beginning of a sentence about `name` ("" for the whole run): "resnet50, predicted: ".
std::string lead_of(const std::string& name, bool label_predicted);

/// The sentences; empty if no row has a throughput. `rows` are sorted by point.
std::vector<std::string> findings(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// The most informative point of a setting, and the name that distinguishes it: "resnet50, async".
struct LargestPoint {
  const ExperimentPoint* point = nullptr;
  std::string name;  ///< "" if there is one setting and one choice
};

/// For each setting, the fastest choice at the largest number of workers.
std::vector<LargestPoint> largest_points(const std::vector<ResultRow>& rows,
                                         const SweptLabels& labels);

}  // namespace paceline
