// SPDX-License-Identifier: MIT
/// \file
/// The results of a run against the bounds that its experiment expects (`expect:`).
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// One line for each point and column that misses its bound. Predictions and measurements count;
/// the error of a prediction also counts against a published row, unless that row sets the cost of
/// arithmetic. A blank cell misses its bound. Skipped and failed rows do not count: they are
/// reported on their own.
std::vector<std::string> missed_expectations(const std::vector<ResultRow>& rows,
                                             const SweptLabels& labels);

}  // namespace paceline
