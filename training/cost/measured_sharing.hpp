// SPDX-License-Identifier: MIT
/// \file
/// What calibrate measured of a network on one virtual GPU and on several at once, as what the
/// groups of the card share.
#pragma once
#include "training/costs.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Sets the bandwidth that all groups get together such that as many workers as were measured at
/// once, in step, take the measured time (memory_contention.hpp). Requires groups, times and
/// traffic in `costs`. Changes nothing where nothing was measured at once.
void share_as_measured(Costs& costs, const NetworkProfile& measured);

/// Sets what a card that is shared by time does for several workers together, by what as many did
/// in the time of one: more than it does for one where their kernels are small and leave room.
void take_turns_as_measured(Costs& costs, const NetworkProfile& measured);

}  // namespace paceline
