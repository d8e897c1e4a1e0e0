// SPDX-License-Identifier: MIT
/// \file
/// The findings of a run of many settings in words: which choice is the fastest, and how far the
/// efficiency ranges. Of few settings each has findings of its own (findings.hpp).
#pragma once
#include <string>
#include <vector>

#include "cli/compared_groups.hpp"

namespace paceline {

/// Empty unless at least two settings have an efficiency.
std::vector<std::string> findings_of_settings(const std::vector<ComparedGroup>& groups);

/// "at 4 workers".
std::string at_workers(int workers);
/// " per image" of "images".
std::string per_item(const std::string& item);
/// "The table has 2 more settings."
std::string more_settings(std::size_t number);

}  // namespace paceline
