// SPDX-License-Identifier: MIT
#include "topology/host_figures.hpp"

namespace paceline {

void HostFigures::describe(Description<HostFigures>& d) {
  d.optional("cpu_model", &HostFigures::cpu_model, "name of the processor, as the system gives it");
  d.required("cores", &HostFigures::cores, "cores that threads may run on").at_least(1);
  d.required("copy_bandwidth", &HostFigures::copy_bandwidth, "copy bandwidth of one thread")
      .above(BytesPerSecond{0});
  d.required("memory_bandwidth", &HostFigures::memory_bandwidth,
             "copy bandwidth of all threads together")
      .above(BytesPerSecond{0});
  d.required("copy_latency", &HostFigures::copy_latency,
             "time from the submission of a copy to its start")
      .at_least(Seconds{0});
  d.required("decision_latency", &HostFigures::decision_latency,
             "time from an event to the host's response")
      .at_least(Seconds{0});
  d.required("operation_handling", &HostFigures::operation_handling,
             "time that the roles' thread spends on an operation")
      .at_least(Seconds{0});
  d.optional("operation_work", &HostFigures::operation_work,
             "time that all threads together spend on one of many concurrent operations")
      .at_least(Seconds{0});
  d.required("timer_error", &HostFigures::timer_error, "overrun of a timed wait")
      .at_least(Seconds{0});
}

}  // namespace paceline
