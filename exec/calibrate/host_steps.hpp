// SPDX-License-Identifier: MIT
/// \file
/// The calibration steps of this computer's host side, in order.
#pragma once
#include <vector>

#include "exec/calibrate/calibrate.hpp"
#include "exec/calibrate/step.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Steps that fill in the host figures of a profile and, if `links`, its links between threads.
/// `into` must outlive them.
std::vector<CalibrationStep> host_steps(bool links, Effort effort, Profile& into);

/// A step that times the parts of an exchange between threads. `into` must outlive it.
CalibrationStep exchange_step(Effort effort, Profile& into);

/// A step that times the network of `point` on one thread. `point` and `into` must outlive it.
CalibrationStep host_network_step(const ExperimentPoint& point, Profile& into);

}  // namespace paceline
