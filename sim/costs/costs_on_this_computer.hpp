// SPDX-License-Identifier: MIT
/// \file
/// The costs of a point's work on this computer's threads, as `calibrate` measured them.
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// This computer as a machine, for a point. The bandwidth of copies is the one measured at the
/// network's size, which may fit in caches.
HostFigures host_figures_of(const ExperimentPoint& point, const Profile& profile);

/// Fills in the costs. Throws std::runtime_error where the network was not measured.
void cost_on_this_computer(Prediction& prediction, const Profile& profile);

}  // namespace paceline
