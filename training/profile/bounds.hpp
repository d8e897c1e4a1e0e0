// SPDX-License-Identifier: MIT
/// \file
/// Bounds of the lists of figures in a profile. The bounds of single figures are in their
/// descriptions.
#pragma once
#include <string>

#include "training/profile/profile.hpp"

namespace paceline {

/// The first figure that no measurement can give, such as a negative time or a size without a time:
/// "network 'mlp': a time in 'forward' is negative". "" where all figures are possible.
std::string impossible_figure(const Profile& profile);

}  // namespace paceline
