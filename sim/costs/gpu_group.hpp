// SPDX-License-Identifier: MIT
/// \file
/// A group of a GPU's multiprocessors (SMs) as a GPU of its own, for the cost model: it has its
/// share of the peaks, and the memory bandwidth that its SMs can draw.
#pragma once
#include "topology/gpu.hpp"

namespace paceline {

/// Requires 0 < sms <= gpu.sms. Where the bandwidth per SM is not known, a group may draw the whole
/// bandwidth.
GpuSpec gpu_group(const GpuSpec& gpu, int sms);

/// The memory bandwidth available to all groups of the GPU: its bandwidth x the efficiency in the
/// row `memory`.
BytesPerSecond usable_bandwidth(const GpuSpec& gpu);

}  // namespace paceline
