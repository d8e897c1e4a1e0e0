// SPDX-License-Identifier: MIT
/// \file
/// The workers that the others wait for: a few with mini-batches that take longer.
#pragma once
#include <string>
#include <vector>

#include "training/results/trace/span.hpp"

namespace paceline {

/// At most half of the workers: the arithmetic and delays of a mini-batch of theirs take over 1.2
/// times the median of all, and by more than chance: stragglers that meet all workers alike name
/// none. Empty if there are none, or the workers differ without an outlier.
std::vector<int> slow_workers(const Trace& trace);

/// "worker 1", "workers 1 and 3", "workers 1, 3, 5 and 4 more".
std::string names_of_workers(const std::vector<int>& workers);

}  // namespace paceline
