// SPDX-License-Identifier: MIT
/// \file
/// The table that a run ends with: a line a point, what each source says of it, and how far the
/// prediction is off.
#pragma once
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// (predicted - observed) / observed of the throughput; nothing unless both are known.
std::optional<double> error_of(const ResultRow& predicted, const ResultRow& observed);

/// "+3.1 %".
std::string percent(double fraction);
/// Its size alone: "3.1 %".
std::string percent_size(double fraction);

/// An error in a table; in `colour`, one above 10 % is red.
std::string error_cell(double error, bool colour);

/// "images" where all points count the same, else "items".
std::string items_of(const std::vector<ResultRow>& rows);

/// A point by its swept values: "resnet50, async, 8 workers".
std::string name_of(const ExperimentPoint& point, const SweptLabels& labels);

/// What all points have in common, in one line: "resnet50 on dgx1-p100, parameter-server, batch
/// 32".
std::string common_to(const std::vector<ResultRow>& rows);

/// The table and the line that says how to read it, ending with a newline. `rows` are sorted by
/// point. In `colour`, errors above 10 % are red.
std::string comparison_table(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                             bool colour = false);

}  // namespace paceline
