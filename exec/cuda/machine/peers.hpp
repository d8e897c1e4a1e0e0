// SPDX-License-Identifier: MIT
/// \file
/// Which GPUs reach each other's memory.
#pragma once
#include <vector>

namespace paceline::cuda {

/// Every GPU of `devices` (kOnHost aside) reaches the others' memory where the links allow it; else
/// copies are staged by the driver. Throws Error.
void enable_peer_access(const std::vector<int>& devices);

}  // namespace paceline::cuda
