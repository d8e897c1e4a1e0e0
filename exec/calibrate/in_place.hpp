// SPDX-License-Identifier: MIT
/// \file
/// The costs of training on this computer's threads while training runs: memory is cold, and
/// threads sleep between their operations and wake each other. Timed in the machine that executes
/// points, on workers that exchange nothing and on one worker with its server.
#pragma once
#include "training/experiment/experiment_file.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Scales the times of single layers in `times` to their length while the network of `point`
/// trains, and adds the costs that only training shows: servers, starts, decisions, cores that wake
/// from sleep, and workers that share cores. Takes some seconds. \param timer_error how late a
/// timed wait of this computer ends
void measure_in_place(const ExperimentPoint& point, Seconds timer_error, NetworkProfile& times);

}  // namespace paceline
