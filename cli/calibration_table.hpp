// SPDX-License-Identifier: MIT
/// \file
/// Shows the measurements of `paceline calibrate` as tables for a terminal, beside the theoretical
/// figures where these are known.
#pragma once
#include <string>

#include "cli/text_table.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

std::string calibration_table(const Profile& profile, TableStyle style = TableStyle::aligned);

}  // namespace paceline
