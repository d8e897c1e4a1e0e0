// SPDX-License-Identifier: MIT
/// \file
/// The results of collectives alone, as nccl-tests prints them: size, count, type, operation, and
/// for each source time, algorithm bandwidth and bus bandwidth.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"
#include "cli/text_table.hpp"

namespace paceline {

/// True if the rows are of collectives alone.
bool are_collectives(const std::vector<ResultRow>& rows);

/// The rows of one curve: equal in every swept key but the size, by size.
struct CollectiveCurve {
  std::string name;   ///< "all-reduce by ring, 8 ranks on dgx1-v100"
  std::string label;  ///< its algorithm with its keys: "ring"
  std::vector<const ResultRow*> rows;
};
std::vector<CollectiveCurve> collective_curves(const std::vector<ResultRow>& rows,
                                               const SweptLabels& labels);

/// One table for each curve.
std::string collective_tables(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                              TableStyle style = TableStyle::aligned);

/// Sentences about the curves: where which is the fastest, and their largest bus bandwidths.
std::vector<std::string> collective_findings(const std::vector<ResultRow>& rows,
                                             const SweptLabels& labels);

}  // namespace paceline
