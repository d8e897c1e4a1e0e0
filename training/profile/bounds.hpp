// SPDX-License-Identifier: MIT
/// \file
/// Bounds of a profile's lists of figures. Those of single figures are in their descriptions.
#pragma once
#include <string>

#include "training/profile/profile.hpp"

namespace paceline {

/// The first figure that no measurement can have given, such as a negative time or a size without
/// its time: "network 'mlp': a time in 'forward' is negative". "" where all are possible.
std::string impossible_figure(const Profile& profile);

}  // namespace paceline
