// SPDX-License-Identifier: MIT
/// \file
/// What the driver's management library (NVML) says of a GPU while it works. The library is opened
/// at run time: it comes with the driver, and nothing here needs it.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace paceline::cuda {

/// At one moment. 0: not known.
struct GpuReading {
  unsigned sm_mhz = 0;
  unsigned memory_mhz = 0;
  double watts = 0;
  bool throttled = false;  ///< slowed down by heat or by its power limit
};

/// Reads one GPU; may be called by any thread.
using GpuReader = std::function<GpuReading()>;

/// The GPU at a PCI address ("0000:0f:00.0"); null where there is no NVML or it does not know it.
GpuReader open_nvml(const std::string& bus);

}  // namespace paceline::cuda
