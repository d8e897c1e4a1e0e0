// SPDX-License-Identifier: MIT
#include "sim/costs/gpu_group.hpp"

#include <algorithm>

namespace paceline {

GpuSpec gpu_group(const GpuSpec& gpu, int sms) {
  const double share = static_cast<double>(sms) / gpu.sms;
  GpuSpec group = gpu;
  group.sms = sms;
  for (FlopsPerSecond* peak : {&group.fp32, &group.tf32, &group.fp16, &group.bf16}) {
    *peak = *peak * share;
  }
  if (gpu.sm_bandwidth) {
    group.memory_bandwidth = std::min(gpu.memory_bandwidth, *gpu.sm_bandwidth * sms);
  }
  return group;
}

BytesPerSecond usable_bandwidth(const GpuSpec& gpu) {
  const std::optional<Efficiency>& row = gpu.efficiency.memory;
  return gpu.memory_bandwidth * (row ? row->share.fraction : 1.0);
}

}  // namespace paceline
