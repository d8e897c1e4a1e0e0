// SPDX-License-Identifier: MIT
/// \file
/// The table that a run ends with: a line a point, what each source says of it, how far the
/// prediction is off, and a verdict over all points.
#pragma once
#include <string>
#include <vector>

#include "cli/rows.hpp"

namespace paceline {

/// (predicted - observed) / observed of the mean iteration time; nothing unless both are known.
std::optional<double> error_of(const ResultRow& predicted, const ResultRow& observed);

/// "+3.1 %".
std::string percent(double fraction);

/// Table and verdicts, ending with a newline. `rows` are sorted by point.
std::string comparison_table(const std::vector<ResultRow>& rows);

}  // namespace paceline
