// SPDX-License-Identifier: MIT
/// \file
/// Predictions beside the rows of published tables, and statistics of their errors. Rows that
/// constants were fitted on and rows that judge them are never counted together.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/speedup.hpp"

namespace paceline {

/// A row of a published table and its prediction.
struct PublishedCheck {
  const ExperimentPoint* point = nullptr;
  double published = 0;           ///< items/s
  double predicted = 0;           ///< items/s; 0: the prediction failed
  std::optional<double> error;    ///< of the throughput, relative
  std::optional<double> perfect;  ///< error of perfect scaling, for several workers
  bool calibration = false;       ///< sets the cost of arithmetic, so that its error is not counted
  bool in_sample = false;         ///< a constant was fitted on this row
  std::string source;             ///< of the arithmetic's cost
  bool counted() const { return !calibration && error.has_value(); }
};

/// The checks of a file, in the order of its points.
std::vector<PublishedCheck> checks_of(const ExperimentFile& file,
                                      const std::vector<ResultRow>& rows);

/// Rows of which the errors are counted together.
enum class Sample { all, inside, outside };

/// Statistics over the rows that count, as fractions.
struct CheckStatistics {
  std::size_t rows = 0;
  double median = 0, p95 = 0;    ///< of the errors' sizes
  double bias = 0;               ///< median of the errors
  std::optional<double> rank;    ///< Spearman's correlation of published and predicted, 3 rows
  std::size_t perfect_rows = 0;  ///< of several workers
  double perfect_median = 0, perfect_p95 = 0;
};
CheckStatistics statistics_of(const std::vector<PublishedCheck>& checks, Sample sample);

/// Spearman's rank correlation; equal values share their ranks' mean. Requires equal sizes >= 2.
double rank_correlation(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace paceline
