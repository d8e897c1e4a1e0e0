// SPDX-License-Identifier: MIT
/// \file
/// What a server's arithmetic takes when its memory is as it is in training: gradients come from
/// other cores, and the versions that workers fetch are more than a cache holds.
#pragma once
#include <vector>

#include "training/experiment_file.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Times of updates and sums of all parameters for servers of 1, 2, 4 .. `most` workers, each
/// served in turn: one thread pushes and fetches for all, another one is the server. No training.
std::vector<ServerTimes> measure_server(const ExperimentPoint& point, int most);

}  // namespace paceline
