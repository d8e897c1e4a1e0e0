// SPDX-License-Identifier: MIT
#include "topology/host_figures.hpp"

namespace paceline {

void HostFigures::describe(Description<HostFigures>& d) {
  d.optional("cpu_model", &HostFigures::cpu_model, "the processor, as the system calls it");
  d.required("cores", &HostFigures::cores, "cores that threads may run on").at_least(1);
  d.required("copy_bandwidth", &HostFigures::copy_bandwidth, "bytes that one thread copies")
      .above(BytesPerSecond{0});
  d.required("memory_bandwidth", &HostFigures::memory_bandwidth,
             "bytes that all threads copy together")
      .above(BytesPerSecond{0});
  d.required("copy_latency", &HostFigures::copy_latency, "time from asking for a copy to its start")
      .at_least(Seconds{0});
  d.required("decision_latency", &HostFigures::decision_latency,
             "time from an event to the host's answer to it")
      .at_least(Seconds{0});
  d.required("operation_handling", &HostFigures::operation_handling,
             "what an operation keeps the thread busy that runs all roles")
      .at_least(Seconds{0});
  d.optional("operation_work", &HostFigures::operation_work,
             "what all threads spend on one of many operations at once")
      .at_least(Seconds{0});
  d.required("timer_error", &HostFigures::timer_error, "time by which a timed wait is late")
      .at_least(Seconds{0});
}

}  // namespace paceline
