// SPDX-License-Identifier: MIT
// The few NVML declarations in use, from its documentation ("NVML API Reference Guide"): a toolkit
// need not bring the header.
#include "exec/cuda/clocks/nvml.hpp"

#include <memory>

#include <dlfcn.h>

namespace paceline::cuda {
namespace {

using Device = struct NvmlDevice*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr int kSmClock = 1;      // NVML_CLOCK_SM
constexpr int kMemoryClock = 2;  // NVML_CLOCK_MEM
// nvmlClocksEventReasonSwPowerCap, HwSlowdown, SwThermalSlowdown, HwThermalSlowdown,
// HwPowerBrakeSlowdown
constexpr unsigned long long kSlowdowns = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

/// The loaded library.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find("nvmlInit_v2", init_);
    find("nvmlShutdown", shutdown_);
    find("nvmlDeviceGetHandleByPciBusId_v2", by_bus);
    find("nvmlDeviceGetClockInfo", clock);
    find("nvmlDeviceGetPowerUsage", power);
    find("nvmlDeviceGetCurrentClocksThrottleReasons", slowdowns);
    open_ = init_ != nullptr && by_bus != nullptr && init_() == kSuccess;
  }
  ~Nvml() {
    if (open_ && shutdown_ != nullptr) shutdown_();
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool open() const { return open_; }

  Result (*by_bus)(const char*, Device*) = nullptr;
  Result (*clock)(Device, int, unsigned*) = nullptr;
  Result (*power)(Device, unsigned*) = nullptr;  ///< milliwatts
  Result (*slowdowns)(Device, unsigned long long*) = nullptr;

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }

  void* library_;
  Result (*init_)() = nullptr;
  Result (*shutdown_)() = nullptr;
  bool open_ = false;
};

unsigned clock_of(const Nvml& nvml, Device device, int kind) {
  unsigned mhz = 0;
  const bool known = nvml.clock != nullptr && nvml.clock(device, kind, &mhz) == kSuccess;
  return known ? mhz : 0;
}

}  // namespace

GpuReader open_nvml(const std::string& bus) {
  auto nvml = std::make_shared<const Nvml>();
  Device device = nullptr;
  if (!nvml->open() || nvml->by_bus(bus.c_str(), &device) != kSuccess) return nullptr;
  return [nvml, device] {
    GpuReading reading;
    reading.sm_mhz = clock_of(*nvml, device, kSmClock);
    reading.memory_mhz = clock_of(*nvml, device, kMemoryClock);
    unsigned milliwatts = 0;
    if (nvml->power != nullptr && nvml->power(device, &milliwatts) == kSuccess) {
      reading.watts = milliwatts * 1e-3;
    }
    unsigned long long reasons = 0;
    if (nvml->slowdowns != nullptr && nvml->slowdowns(device, &reasons) == kSuccess) {
      reading.throttled = (reasons & kSlowdowns) != 0;
    }
    return reading;
  };
}

}  // namespace paceline::cuda
