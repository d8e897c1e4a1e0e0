// SPDX-License-Identifier: MIT
/// \file
/// Lists of computers in Slurm's notation: "rack[1-2]-[01-18],login" (scontrol show hostlist).
#pragma once
#include <string>
#include <vector>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

/// The names in a list, in their order; `at` is where the list is. Throws SpecError for brackets
/// that do not match, for ranges that go backwards, and for more than 262,144 names.
std::vector<std::string> hosts_of(const std::string& list, const Location& at);

}  // namespace paceline
