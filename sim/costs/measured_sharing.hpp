// SPDX-License-Identifier: MIT
/// \file
/// Derives the sharing of a card from the measurements of a network on one virtual GPU and on
/// several at once, each training alone.
#pragma once
#include "sim/costs/costs.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Sets the speed of a card by number of workers that compute at once. Of one that is shared by
/// time slices it exceeds the speed with one worker where kernels are small and leave room; of one
/// that is split into groups it is less than theirs together where they compete for memory, the
/// second-level cache, launches or power.
void take_turns_as_measured(Costs& costs, const NetworkProfile& measured);

}  // namespace paceline
