// SPDX-License-Identifier: MIT
/// \file
/// How well predictions agree with measurements and publications, in sentences: size and sign of
/// the errors, and how much of the time was injected delay, which both clocks draw alike.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// Whether the published row is the one that set the cost of the prediction's arithmetic: its error
/// is 0 by construction.
bool sets_the_cost(const ResultRow& predicted, const ResultRow& observed);

/// "2 one-worker rows set the cost of arithmetic and are not counted."; "" of none.
std::string calibration_note(std::size_t rows);

/// One sentence for each kind of observation that there is; none without any. A published row that
/// sets the cost of a worker's arithmetic checks nothing and is not counted.
std::vector<std::string> agreement(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// Injected straggler delay as a share of a mini-batch's time; nothing where it is not known.
std::optional<double> injected_share(const Measurement& measurement);

}  // namespace paceline
