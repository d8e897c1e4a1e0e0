// SPDX-License-Identifier: MIT
/// \file
/// Experiments of the synthetic network, and rows of results with throughputs of a test's choice.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"

namespace paceline::test {

/// An experiment with the further keys `rest`.
inline ExperimentFile load(const std::string& rest) {
  return load_experiment_text(
      "findings.yaml",
      "name: findings\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\n"
      "machine: ideal\nbatch: 10\n" +
          rest,
      {});
}

/// Predicted rows of all points; `rates` are their throughputs in the order of the points.
inline std::vector<ResultRow> predicted(const ExperimentFile& file,
                                        const std::vector<double>& rates) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    ResultRow row;
    row.point = &file.points[i];
    row.index = i;
    row.measurement.throughput = rates.at(i);
    rows.push_back(row);
  }
  relate(rows);
  return rows;
}

}  // namespace paceline::test
