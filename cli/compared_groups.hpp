// SPDX-License-Identifier: MIT
/// \file
/// The points of a run in groups. Findings compare throughputs within a group: its points have the
/// same setting, and differ in choices and numbers of workers.
#pragma once
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// A row with what it is compared by.
struct ComparedPoint {
  const ResultRow* row = nullptr;
  std::string choice;  ///< what the user can choose: "async"
  int workers = 1;
  double rate() const { return *row->measurement.throughput; }
};

/// Points that differ in choices and workers alone.
struct ComparedGroup {
  std::string setting;  ///< "resnet50, batch 64"; "" where all points are of one setting
  std::string item;
  std::vector<ComparedPoint> entries;   ///< of one source
  std::vector<ComparedPoint> diverged;  ///< of the same source; these have no throughput to compare
  bool says_predicted = false;          ///< predictions, in a run that has measurements too
};

/// Whether the row is of this source and has a throughput.
bool told(const ResultRow& row, Source source);

/// Whether any measured row has a throughput.
bool has_measurements(const std::vector<ResultRow>& rows);

/// A group for each setting, in the order of the rows: of its measurements where these have every
/// point that is predicted, else of its predictions.
std::vector<ComparedGroup> groups_of(const std::vector<ResultRow>& rows, const SweptLabels& labels);

}  // namespace paceline
