// SPDX-License-Identifier: MIT
/// \file
/// The table at the end of a run: one line per point, with the figures of each source and the error
/// of the prediction.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"
#include "cli/text_table.hpp"

namespace paceline {

/// (predicted - observed) / observed of the throughput; nothing unless both are known.
std::optional<double> error_of(const ResultRow& predicted, const ResultRow& observed);

/// "+3.1 %".
std::string percent(double fraction);
/// The size of a fraction without its sign: "3.1 %".
std::string percent_size(double fraction);
/// "1.97 x".
std::string ratio_text(double ratio);

/// An error in a table; with `colour`, an error above 10 % is red.
std::string error_cell(double error, bool colour);

/// "images" if all points count the same items, else "items".
std::string items_of(const std::vector<ResultRow>& rows);

/// A point by its swept values: "resnet50, async, 8 workers".
std::string name_of(const ExperimentPoint& point, const SweptLabels& labels);

/// The properties that all points have in common, in one line: "resnet50 on dgx1-p100,
/// parameter-server, batch 32".
std::string common_to(const std::vector<ResultRow>& rows);

/// The table and a line that explains it, ending with a newline. `rows` are sorted by point. With
/// `colour`, errors above 10 % are red.
std::string comparison_table(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                             bool colour = false, TableStyle style = TableStyle::aligned);

}  // namespace paceline
