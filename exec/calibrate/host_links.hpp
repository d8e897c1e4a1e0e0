// SPDX-License-Identifier: MIT
/// \file
/// Copies from one worker's memory to another's on the host's threads, alone and on all cores at
/// once.
#pragma once
#include <vector>

#include "exec/calibrate/step.hpp"
#include "training/profile/link_profile.hpp"

namespace paceline {

/// Times copies of 1 KiB and more from thread to thread, one at a time and, where there are cores
/// enough, on every core at once (two seconds each, or half of that). The first row also has the
/// rate of memcpy alone. Takes at most a quarter of the memory that is free.
std::vector<LinkProfile> measure_host_links(int cores, Effort effort);

}  // namespace paceline
