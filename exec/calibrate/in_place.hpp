// SPDX-License-Identifier: MIT
/// \file
/// What training costs on this computer's threads while it goes on: where memory is cold, threads
/// sleep between their turns and wake each other. Timed in the machine that executes, on workers
/// that exchange nothing, and on one worker and its server.
#pragma once
#include "training/experiment_file.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Scales `times`, of the layers one by one, to what they take while the network of `point` trains,
/// and adds what only training shows: servers, starts, decisions, cores that have slept, and
/// workers that share the cores. Takes some seconds. \param timer_error by which a delay of this
/// computer is late
void measure_in_place(const ExperimentPoint& point, Seconds timer_error, NetworkProfile& times);

}  // namespace paceline
