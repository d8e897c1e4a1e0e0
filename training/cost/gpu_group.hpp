// SPDX-License-Identifier: MIT
/// \file
/// A group of a GPU's multiprocessors (SMs) as a GPU of its own, for the cost model: its share of
/// the peaks, and of the memory's bandwidth as much as so few SMs can draw.
#pragma once
#include "topology/gpu.hpp"

namespace paceline {

/// Requires 0 < sms <= gpu.sms. Where nobody knows what one SM draws, a group may have all of the
/// bandwidth.
GpuSpec gpu_group(const GpuSpec& gpu, int sms);

/// What the GPU's memory gives to those who share it: its bandwidth x the efficiency that the row
/// `memory` says.
BytesPerSecond usable_bandwidth(const GpuSpec& gpu);

}  // namespace paceline
