// SPDX-License-Identifier: MIT
/// \file
/// A GPU's state from the driver's management library (NVML) while the GPU works. The library is
/// loaded at run time: it comes with the driver, and the program must also run without it.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace paceline::cuda {

/// The state at one moment; 0 means unknown.
struct GpuReading {
  unsigned sm_mhz = 0;
  unsigned memory_mhz = 0;
  double watts = 0;
  bool throttled = false;  ///< slowed down by temperature or by the power limit
};

/// Reads one GPU; may be called from any thread.
using GpuReader = std::function<GpuReading()>;

/// A reader of the GPU at a PCI address ("0000:0f:00.0"); null without NVML, or if the address is
/// unknown to NVML.
GpuReader open_nvml(const std::string& bus);

}  // namespace paceline::cuda
