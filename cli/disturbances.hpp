// SPDX-License-Identifier: MIT
/// \file
/// Sentences on why measurements differ from what this computer can do: other programs on its
/// cores, or arithmetic that has become slower or faster since the calibration.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"

namespace paceline {

/// "Other programs used 1.4 of 2 cores during 19 of 32 points: ..."; empty for a quiet computer.
std::vector<std::string> disturbances(const std::vector<ResultRow>& rows, int cores);

}  // namespace paceline
