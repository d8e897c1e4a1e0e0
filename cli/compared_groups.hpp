// SPDX-License-Identifier: MIT
/// \file
/// Groups the points of a run for comparison. The points of a group have the same setting and
/// differ only in the user's choices and in the number of workers, so their throughputs can be
/// compared.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// A row and the properties by which it is compared.
struct ComparedPoint {
  const ResultRow* row = nullptr;
  std::string choice;  ///< the user's choice: "async"
  int workers = 1;
  double rate() const { return *row->measurement.throughput; }
  /// True if only the update policy distinguishes the point from others, and it has the default
  /// one.
  bool has_default_update() const;
};

/// Points that differ only in choices and workers.
struct ComparedGroup {
  std::string setting;  ///< "resnet50, batch 64"; "" if all points have one setting
  std::string item;
  std::vector<ComparedPoint> entries;   ///< all from one source
  std::vector<ComparedPoint> diverged;  ///< from the same source; without a throughput
  bool label_predicted = false;         ///< predicted rows of a run that also has measurements
};

/// True if the row is from `source` and has a throughput.
bool has_throughput(const ResultRow& row, Source source);

/// True if any measured row has a throughput.
bool has_measurements(const std::vector<ResultRow>& rows);

/// The entries with this number of workers, the fastest first.
std::vector<ComparedPoint> ranked(const ComparedGroup& group, int workers);
/// Ascending.
std::vector<int> worker_counts(const ComparedGroup& group);
/// The entry that the fastest is compared with: the default update where it is there, else the
/// slowest. Requires one.
const ComparedPoint& reference(const std::vector<ComparedPoint>& there);

/// One group per setting, in the order of the rows. A group contains the measured rows if they
/// cover all predicted points, otherwise the predicted rows.
std::vector<ComparedGroup> groups_of(const std::vector<ResultRow>& rows, const SweptLabels& labels);

}  // namespace paceline
