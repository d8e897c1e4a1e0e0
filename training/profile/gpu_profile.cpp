// SPDX-License-Identifier: MIT
#include "training/profile/gpu_profile.hpp"

namespace paceline {

void GpuProfile::describe(Description<GpuProfile>& d) {
  const Seconds none{0};
  d.required("name", &GpuProfile::name, "name given by its driver");
  d.optional("preset", &GpuProfile::preset, "the GPU's file, where there is one of this model");
  d.optional("bus", &GpuProfile::bus, "its PCI address");
  d.required("memory", &GpuProfile::memory, "size of its memory").above(Bytes{0});
  d.required("sms", &GpuProfile::sms, "streaming multiprocessors").at_least(1);
  d.optional("fp32", &GpuProfile::fp32, "theoretical peak, by its cores and their clock")
      .above(FlopsPerSecond{0});
  d.optional("memory_bandwidth", &GpuProfile::memory_bandwidth,
             "theoretical, by its bus and memory clock")
      .above(BytesPerSecond{0});
  d.optional("clocks", &GpuProfile::clocks, "clocks during the measurement");
  d.required("copy_bandwidth", &GpuProfile::copy_bandwidth, "bytes copied within its memory")
      .above(BytesPerSecond{0});
  d.required("launch", &GpuProfile::launch, "time to launch an empty kernel, on the host")
      .at_least(none);
  d.required("kernel", &GpuProfile::kernel, "time from an empty kernel to the next, on the device")
      .at_least(none);
  d.required("operation_latency", &GpuProfile::operation_latency,
             "time from the submission of an operation to its start")
      .at_least(none);
  d.required("decision_latency", &GpuProfile::decision_latency,
             "time from an event on the device to the host's response")
      .at_least(none);
  d.required("operation_handling", &GpuProfile::operation_handling,
             "time that the roles' thread spends on an operation")
      .at_least(none);
  d.required("timer_error", &GpuProfile::timer_error, "overrun of a timed delay").at_least(none);
}

void CollectiveProfile::describe(Description<CollectiveProfile>& d) {
  d.required("gpus", &CollectiveProfile::gpus, "GPUs that take part").at_least(2);
  d.required("latency", &CollectiveProfile::latency, "fitted time of a sum of 0 bytes")
      .at_least(Seconds{0});
  d.required("bandwidth", &CollectiveProfile::bandwidth, "fitted bandwidth of the vector")
      .above(BytesPerSecond{0});
  d.required("rms", &CollectiveProfile::rms,
             "root mean square of the residuals, as a share of the time")
      .at_least(Percent{0});
  d.required("worst", &CollectiveProfile::worst, "the largest residual").at_least(Percent{0});
  d.required("sizes", &CollectiveProfile::sizes, "sizes of the summed vectors");
  d.required("times", &CollectiveProfile::times, "median time of each size");
}

}  // namespace paceline
