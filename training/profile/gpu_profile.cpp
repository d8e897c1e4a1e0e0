// SPDX-License-Identifier: MIT
#include "training/profile/gpu_profile.hpp"

namespace paceline {

void GpuProfile::describe(Description<GpuProfile>& d) {
  const Seconds none{0};
  d.required("name", &GpuProfile::name, "as its driver calls it");
  d.optional("preset", &GpuProfile::preset, "the GPU's file, where there is one of this model");
  d.optional("bus", &GpuProfile::bus, "its PCI address");
  d.required("memory", &GpuProfile::memory, "size of its memory").above(Bytes{0});
  d.required("sms", &GpuProfile::sms, "streaming multiprocessors").at_least(1);
  d.optional("fp32", &GpuProfile::fp32, "theoretical peak, by its cores and their clock")
      .above(FlopsPerSecond{0});
  d.optional("memory_bandwidth", &GpuProfile::memory_bandwidth,
             "theoretical, by its bus and memory clock")
      .above(BytesPerSecond{0});
  d.optional("clocks", &GpuProfile::clocks, "while it was measured");
  d.required("copy_bandwidth", &GpuProfile::copy_bandwidth, "bytes copied within its memory")
      .above(BytesPerSecond{0});
  d.required("launch", &GpuProfile::launch, "of an empty kernel, on the host").at_least(none);
  d.required("kernel", &GpuProfile::kernel, "from an empty kernel to the next, on the device")
      .at_least(none);
  d.required("operation_latency", &GpuProfile::operation_latency,
             "from asking for an operation to its start")
      .at_least(none);
  d.required("decision_latency", &GpuProfile::decision_latency,
             "from an event on the device to the host's answer")
      .at_least(none);
  d.required("operation_handling", &GpuProfile::operation_handling,
             "what an operation keeps the thread busy that runs all roles")
      .at_least(none);
  d.required("timer_error", &GpuProfile::timer_error, "by which a delay is late").at_least(none);
}

void CollectiveProfile::describe(Description<CollectiveProfile>& d) {
  d.required("gpus", &CollectiveProfile::gpus, "that take part").at_least(2);
  d.required("latency", &CollectiveProfile::latency, "of a sum of no bytes, by the fitted line")
      .at_least(Seconds{0});
  d.required("bandwidth", &CollectiveProfile::bandwidth, "of the vector, by the fitted line")
      .above(BytesPerSecond{0});
  d.required("rms", &CollectiveProfile::rms, "residuals as shares of the time")
      .at_least(Percent{0});
  d.required("worst", &CollectiveProfile::worst, "the largest residual").at_least(Percent{0});
  d.required("sizes", &CollectiveProfile::sizes, "of the vectors that were summed");
  d.required("times", &CollectiveProfile::times, "of each size, the median");
}

}  // namespace paceline
