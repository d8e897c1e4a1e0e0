// SPDX-License-Identifier: MIT
/// \file
/// A published row that sets the cost of arithmetic.
#pragma once
#include <map>
#include <string>

#include "experiments/language/description.hpp"
#include "training/results/published/published_table.hpp"

namespace paceline {

/// The row that sets the cost of arithmetic, and its source: of one worker, or of the fewest that
/// the table has.
struct CostRow {
  double throughput = 0;  ///< items/s of each of its workers, at the requested batch
  double published = 0;   ///< items/s of all of them, at the row's own batch
  int batch = 0;          ///< the row's, if it is another; else 0
  int workers = 1;        ///< the row's
  int accumulate = 1;     ///< mini-batches of each worker in an update of the row
  int line = 0;           ///< of an experiment's own table
  /// The aggregation of the update that the step includes beside the arithmetic; "" for none.
  /// Written as in the table; Paceline need not have an aggregation of this name.
  std::string aggregation;
  std::map<std::string, std::string> aggregation_keys;  ///< as in the table
  std::string sentence;
  bool shipped = false;  ///< from a table that ships with the program
  static void describe(Description<CostRow>& d);
};

/// The row of an experiment's own table, its throughput still at its own batch.
CostRow own_cost_row(const PublishedRow& row, const std::string& table, int batch);

/// "219 items/s of one worker at batch 64 on Tesla P100 with mxnet (mxnet-one-gpu.csv:7, source)"
std::string row_in_words(const PublishedRow& row, const std::string& table, int batch);

}  // namespace paceline
