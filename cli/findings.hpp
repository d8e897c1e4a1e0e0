// SPDX-License-Identifier: MIT
/// \file
/// What a run's results answer, in sentences, the most important first: which choice is fastest at
/// each number of workers and by how much per sample, how well it scales, and how soon a target is
/// reached. A setting is told by its measured rows if they cover all points that were predicted,
/// else by its predicted rows; in a run with measurements the sentence then says "predicted".
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// Up to this number, settings are told one by one; of more, the extremes.
constexpr std::size_t kSettingsTold = 3;

/// The begin of a sentence about `name` ("": about the whole run): "resnet50, predicted: ".
std::string lead_of(const std::string& name, bool says_predicted);

/// The sentences; none where no row has a throughput. `rows` are sorted by point.
std::vector<std::string> findings(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// A point that says most of its setting, and what tells it from the others: "resnet50, async".
struct LargestPoint {
  const ExperimentPoint* point = nullptr;
  std::string name;  ///< "" where there is one setting and one choice
};

/// Of each setting, the fastest choice at the largest number of workers.
std::vector<LargestPoint> largest_points(const std::vector<ResultRow>& rows,
                                         const SweptLabels& labels);

}  // namespace paceline
