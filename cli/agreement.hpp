// SPDX-License-Identifier: MIT
/// \file
/// Sentences on how well predictions agree with measured and published throughputs: size and sign
/// of the errors, and the share of injected delay, which is the same on both clocks.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// Whether the published row is the one that set the cost of the prediction's arithmetic: its error
/// is 0 by construction.
bool sets_the_cost(const ResultRow& predicted, const ResultRow& observed);

/// "2 one-worker rows set the cost of arithmetic and are not counted."; "" if there are none.
std::string calibration_note(std::size_t rows);

/// One sentence per kind of observation; empty without observations. A published row that sets the
/// cost of a worker's arithmetic checks nothing and is not counted.
std::vector<std::string> agreement(const std::vector<ResultRow>& rows, const SweptLabels& labels);

}  // namespace paceline
