// SPDX-License-Identifier: MIT
/// \file
/// A part of the machine that several roles share: servers share the bandwidth of the host's
/// memory, which bounds sums and updates; loaders share its cores; a worker and the servers on its
/// GPU share that, where their kernels stand in one line. Each takes what one gets alone while
/// there is enough for all, and a fair share when there is not.
#pragma once
#include "sim/devices/processor.hpp"

namespace paceline {

class SharedPart final : public Processor {
 public:
  /// \param route through the memory, or over the cores or the GPU
  SharedPart(const DeviceContext& context, DeviceListener& machine, RouteId route)
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
