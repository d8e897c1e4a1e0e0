// SPDX-License-Identifier: MIT
/// \file
/// Derives the sharing of a card from the measurements of a network on one virtual GPU and on
/// several at once.
#pragma once
#include "sim/costs/costs.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Sets the joint bandwidth of all groups such that workers in step, in the number that was
/// measured at once, take the measured time (memory_contention.hpp). Requires groups, times and
/// traffic in `costs`. Changes nothing without a measurement of several workers.
void share_as_measured(Costs& costs, const NetworkProfile& measured);

/// Sets the speed of a card shared by time slices, by number of workers, from the measured times.
/// It exceeds the speed with one worker where kernels are small and leave room.
void take_turns_as_measured(Costs& costs, const NetworkProfile& measured);

}  // namespace paceline
