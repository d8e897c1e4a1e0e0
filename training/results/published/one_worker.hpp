// SPDX-License-Identifier: MIT
/// \file
/// The throughput of one worker by a published row.
#pragma once
#include <string>

#include "experiments/language/description.hpp"
#include "training/results/published/published_table.hpp"

namespace paceline {

/// One worker's throughput and its source.
struct OneWorker {
  double throughput = 0;  ///< items/s, at the requested batch
  int batch = 0;          ///< of the row, if it is another; else 0
  /// The aggregation of the update that the step includes beside the arithmetic; "" for none.
  /// Written as in the table; Paceline need not have an aggregation of this name.
  std::string aggregation;
  std::string sentence;
  bool shipped = false;  ///< from a table that ships with the program
  static void describe(Description<OneWorker>& d);
};

/// The throughput by a row of an experiment's own table, at the row's batch if that is another.
OneWorker own_one_worker(const PublishedRow& row, const std::string& table, int batch);

/// "219 items/s of one worker at batch 64 on Tesla P100 with mxnet (mxnet-one-gpu.csv:7, source)"
std::string row_in_words(const PublishedRow& row, const std::string& table, int batch);

}  // namespace paceline
