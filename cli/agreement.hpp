// SPDX-License-Identifier: MIT
/// \file
/// How well predictions agree with measurements and publications, in sentences: size and sign of
/// the errors, and how much of the time was injected delay, which both clocks draw alike.
#pragma once
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// One sentence for each kind of observation that there is; none without any. A published row that
/// sets the cost of a worker's arithmetic checks nothing and is not counted.
std::vector<std::string> agreement(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// Injected straggler delay as a share of a mini-batch's time; nothing where it is not known.
std::optional<double> injected_share(const Measurement& measurement);

}  // namespace paceline
