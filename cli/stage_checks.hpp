// SPDX-License-Identifier: MIT
/// \file
/// The stages of published step profiles beside those of the predicted steps. A profiler slows a
/// step down, so shares of the stages are compared and not times.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/swept_labels.hpp"
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

/// The stages that some point has.
std::vector<std::string> stages_in(const std::vector<StageCheck>& checks);
/// "59.9 %", "" for a stage that a point does not have.
std::string share_cell(const std::map<std::string, double>& shares, const std::string& stage);
/// A table, "" without checks.
std::string stage_text(const std::vector<StageCheck>& checks, const SweptLabels& labels);

}  // namespace paceline
