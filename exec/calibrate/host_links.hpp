// SPDX-License-Identifier: MIT
/// \file
/// Copies from one worker's memory to another's on the host's threads: a single copy, and one copy
/// on every core at once.
#pragma once
#include <vector>

#include "exec/calibrate/step.hpp"
#include "training/profile/link_profile.hpp"

namespace paceline {

/// Times copies of 1 KiB and more from thread to thread: one at a time and, with two or more cores,
/// one on every core at once. Each of the two takes about two seconds, less with Effort::quick. The
/// first row also has the rate of memcpy alone. Uses at most a quarter of the free memory.
std::vector<LinkProfile> measure_host_links(int cores, Effort effort);

}  // namespace paceline
