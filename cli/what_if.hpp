// SPDX-License-Identifier: MIT
/// \file
/// What would change a point's throughput, and by how much: short simulations of the point with
/// each kind of link twice as fast, without stragglers, with or without overlap, with updates that
/// take no time.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"

namespace paceline {

struct WhatIf {
  std::string name;  ///< "PCIe twice as fast", "no stragglers"
  double gain = 0;   ///< relative change of the throughput in items/s: 0.003 is + 0.3 %
};

/// The changes that apply to the point: faster links (kinds in the order of the machine's links),
/// no stragglers, overlap or none, free updates. Empty where K follows the loss. The point must be
/// predictable. Throws as `setting_of`.
std::vector<WhatIf> what_if(const ExperimentPoint& point, Device asked, const Profile* profile);

}  // namespace paceline
