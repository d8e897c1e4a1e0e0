// SPDX-License-Identifier: MIT
/// \file
/// The sentence on what more workers gain: the speedup over the base and the efficiency, with the
/// reason for one above 100 %.
#pragma once
#include <string>
#include <vector>

#include "cli/compared_groups.hpp"

namespace paceline {

/// "From 1 to 16 workers async gains 14.2 x: an efficiency of 89.0 %."; "" if the entry is its own
/// base. The base is among `rows`.
std::string scaling(const ComparedPoint& entry, const std::vector<ResultRow>& rows);

}  // namespace paceline
