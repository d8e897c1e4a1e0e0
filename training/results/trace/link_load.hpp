// SPDX-License-Identifier: MIT
/// \file
/// The load of each link over time, from the copies of a trace: the bytes of a copy
/// are spread evenly over its duration.
#pragma once
#include <vector>

#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

/// The load of a link from `at` on.
struct LoadChange {
  Instant at;
  BytesPerSecond load;
};

/// By link, as `copy_links` numbers them: the changes of its load in order of time, the last one to
/// zero; empty where nothing crossed it. Copies of the machine's own all-reduce are not included.
std::vector<std::vector<LoadChange>> link_loads(const Trace& trace, CopyLinks& copy_links);

}  // namespace paceline
