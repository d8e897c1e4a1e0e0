// SPDX-License-Identifier: MIT
/// \file
/// A processor that several streams share: an operation's arithmetic is a flow through it, and
/// flows share its time max-min fairly. It begins after the wake-up latency of its stream.
#pragma once
#include "sim/devices/host_cores.hpp"
#include "sim/devices/processor.hpp"

namespace paceline {

class SharedProcessor : public Processor {
 public:
  /// `cores` must outlive this.
  SharedProcessor(const DeviceContext& context, DeviceListener& machine, HostCores& cores)
      : Processor(context, machine), cores_(cores) {}

  void start(OpIndex op, Stream stream, const Command& command, double ps,
             std::int64_t launched_ps) final;
  void go_on(OpIndex op) final;

 protected:
  /// Starts a flow of `ps` of arithmetic.
  virtual FlowId start_flow(OpIndex op, double ps) = 0;

  HostCores& cores_;

 private:
  double left_ps(OpIndex op) const final;
  void restart(OpIndex op, double ps) final;
};

}  // namespace paceline
