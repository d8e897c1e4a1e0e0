// SPDX-License-Identifier: MIT
/// \file
/// The slow workers of a run: a few with longer mini-batches, for which the others wait.
#pragma once
#include <string>
#include <vector>

#include "training/results/trace/span.hpp"

namespace paceline {

/// The workers, at most half of all, with a mean arithmetic and delay of a mini-batch above 1.2
/// times the median of the workers and by more than chance; random delays that are the same for all
/// workers make none of them slow.
std::vector<int> slow_workers(const Trace& trace);

/// "worker 1", "workers 1 and 3", "workers 1, 3, 5 and 4 more".
std::string names_of_workers(const std::vector<int>& workers);

}  // namespace paceline
