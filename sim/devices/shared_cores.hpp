// SPDX-License-Identifier: MIT
/// \file
/// The cores of a host that runs workers and servers as threads. A worker's compute stream stays on
/// one core; operations on a core that has slept take longer (HostCores).
#pragma once
#include "sim/devices/shared_processor.hpp"

namespace paceline {

class SharedCores final : public SharedProcessor {
 public:
  using SharedProcessor::SharedProcessor;

 private:
  FlowId start_flow(OpIndex op, double ps) override {
    return cores_.start(op, machine_.stream_of_operation(op), ps);
  }
};

}  // namespace paceline
