// SPDX-License-Identifier: MIT
/// \file
/// The load of each link over time, from the copies of a trace and their ways: the bytes of a copy
/// are spread evenly over its duration.
#pragma once
#include <vector>

#include "training/results/trace/span.hpp"
#include "training/results/trace/ways.hpp"

namespace paceline {

/// The load of a link from `at` on.
struct LoadChange {
  Instant at;
  BytesPerSecond load;
};

/// By link, as `ways` numbers them: the changes of its load in order of time, the last one to zero;
/// empty where nothing crossed it. Copies of the machine's own all-reduce are not included.
std::vector<std::vector<LoadChange>> link_loads(const Trace& trace, Ways& ways);

}  // namespace paceline
