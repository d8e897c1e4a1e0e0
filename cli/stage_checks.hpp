// SPDX-License-Identifier: MIT
/// \file
/// The stages of published step profiles beside those of the predicted steps. A profiler slows a
/// step down, so shares of the stages are compared and not times.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/swept_labels.hpp"
#include "cli/text_table.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Shares by stage, of the sum of all stages.
struct StageCheck {
  const ExperimentPoint* point = nullptr;
  std::map<std::string, double> published;
  std::map<std::string, double> predicted;  ///< empty: the prediction failed
};

/// The points with a published profile; each is simulated anew, with its spans recorded.
std::vector<StageCheck> stage_checks_of(const ExperimentFile& file);

/// Published and predicted shares side by side, below a blank line; "" without checks.
std::string stage_table(const std::vector<StageCheck>& checks, const SweptLabels& labels,
                        TableStyle style);

}  // namespace paceline
