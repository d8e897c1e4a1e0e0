// SPDX-License-Identifier: MIT
/// \file
/// How busy each link was, from the copies of a trace and their ways: a copy's bytes count evenly
/// over the time it took.
#pragma once
#include <vector>

#include "training/trace/span.hpp"
#include "training/trace/ways.hpp"

namespace paceline {

/// The load of a link from `at` on.
struct LoadChange {
  Instant at;
  BytesPerSecond load;
};

/// By link, as `ways` numbers them: the changes of its load in order of time, the last one back to
/// zero; empty where nothing crossed it. Copies of the machine's own all-reduce are not in it.
std::vector<std::vector<LoadChange>> link_loads(const Trace& trace, Ways& ways);

}  // namespace paceline
