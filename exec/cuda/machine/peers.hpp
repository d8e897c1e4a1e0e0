// SPDX-License-Identifier: MIT
/// \file
/// Access of GPUs to each other's memory.
#pragma once
#include <vector>

namespace paceline::cuda {

/// Enables access between every pair of GPUs in `devices` (kOnHost is skipped) where the hardware
/// supports it and has room for another peer; other copies are staged by the driver. Throws Error.
void enable_peer_access(const std::vector<int>& devices);

}  // namespace paceline::cuda
