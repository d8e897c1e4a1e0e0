// SPDX-License-Identifier: MIT
/// \file
/// The host's processors where servers run on them beside workers on GPUs: sums and updates are
/// bound by memory. Each server takes what one gets alone while the bandwidth lasts for all, and a
/// fair share when it does not.
#pragma once
#include "sim/devices/processor.hpp"

namespace paceline {

class ServerMemory final : public Processor {
 public:
  /// \param route through the memory
  ServerMemory(const DeviceContext& context, DeviceListener& machine, RouteId route)
      : Processor(context, machine), route_(route) {}

  void start(OpIndex op, Stream, const Command&, double ps, std::int64_t /*launched_ps*/) override {
    begin_arithmetic(op, ps);
    operations_[op].flow = network_.start(route_, ps * 1e-12, time_.now().ps, time_.flow(op));
  }

 private:
  double left_ps(OpIndex op) const override {
    return network_.remaining(operations_.at(op).flow, time_.now().ps) * 1e12;
  }
  void restart(OpIndex op, double ps) override {
    network_.cancel(operations_[op].flow, time_.now().ps);
    operations_[op].flow = network_.start(route_, ps * 1e-12, time_.now().ps, time_.flow(op));
  }

  RouteId route_;
};

}  // namespace paceline
