// SPDX-License-Identifier: MIT
/// \file
/// What calibrate found, as tables for a terminal, with the theoretical figure beside each where
/// one is known.
#pragma once
#include <string>

#include "training/profile/profile.hpp"

namespace paceline {

std::string calibration_table(const Profile& profile);

}  // namespace paceline
