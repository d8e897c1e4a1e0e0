// SPDX-License-Identifier: MIT
/// \file
/// The base of a speedup where the only worker of a point has its servers on other computers.
/// Fetching weights through the network makes one worker as slow as many, so that more of them seem
/// to gain nearly all they could, although one computer by itself may be faster than all.
#pragma once
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/speedup.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Sets `beside_servers` of each predicted row of one worker with servers on other computers,
/// by a simulation with these on the worker's own. `profile` may be null.
void set_bases(std::vector<ResultRow>& rows, Device device, const Profile* profile);

}  // namespace paceline
