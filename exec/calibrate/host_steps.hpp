// SPDX-License-Identifier: MIT
/// \file
/// What there is to measure of this computer's host side, in order.
#pragma once
#include <vector>

#include "exec/calibrate/calibrate.hpp"
#include "exec/calibrate/step.hpp"

namespace paceline {

/// Steps that fill in a profile's host figures and, where `links` is asked for, its links. `into`
/// must outlive them.
std::vector<CalibrationStep> host_steps(bool links, Effort effort, Profile& into);

/// A step that times the network of `point` on one thread. Both must outlive it.
CalibrationStep host_network_step(const ExperimentPoint& point, Profile& into);

}  // namespace paceline
