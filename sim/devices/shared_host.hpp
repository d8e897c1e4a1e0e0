// SPDX-License-Identifier: MIT
/// \file
/// The host of workers on GPUs: servers share the bandwidth of its memory, which bounds sums and
/// updates, and loaders its cores. Each takes what one gets alone while there is enough for all,
/// and a fair share when there is not.
#pragma once
#include "sim/devices/processor.hpp"

namespace paceline {

class SharedHost final : public Processor {
 public:
  /// \param route through the memory, or over the cores
  SharedHost(const DeviceContext& context, DeviceListener& machine, RouteId route)
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
