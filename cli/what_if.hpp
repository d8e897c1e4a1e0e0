// SPDX-License-Identifier: MIT
/// \file
/// Estimates how changes affect a point's throughput, by short simulations: each kind of link twice
/// as fast, no stragglers, kernels launched in no time, overlap switched, updates that take no
/// time.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

struct WhatIf {
  std::string name;        ///< "PCIe twice as fast", "no stragglers"
  double gain = 0;         ///< relative change of the throughput in items/s: 0.003 is +0.3 %
  std::string bound_by{};  ///< what keeps the change from helping, if that is known
};

/// The changes that apply to the point: faster links (kinds in the order of the machine's links),
/// no stragglers, no launches, overlap on or off, free updates. Empty if K follows the loss. The
/// point must be predictable. Throws as `setting_of`.
std::vector<WhatIf> what_if(const ExperimentPoint& point, Device device, const Profile* profile);

}  // namespace paceline
