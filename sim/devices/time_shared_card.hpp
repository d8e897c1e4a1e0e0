// SPDX-License-Identifier: MIT
/// \file
/// A card that several workers share by time, with CUDA streams. Together they may get more done
/// than one does alone, where small kernels leave room: `turns` of the costs says how much, for
/// each number of them.
#pragma once
#include "sim/devices/shared_processor.hpp"

namespace paceline {

/// A resource. Its flows are seconds of work on a card: one gets all of its time, several together
/// `turns` of the costs.
ResourceId add_turns(FluidNetwork& network, const std::vector<double>& turns);

class TimeSharedCard final : public SharedProcessor {
 public:
  /// Adds the card's time to the network.
  TimeSharedCard(const DeviceContext& context, DeviceListener& machine, HostCores& cores);

 private:
  FlowId start_flow(OpIndex op, double ps) override {
    return network_.start(route_, ps * 1e-12, time_.now().ps, time_.flow(op));
  }

  RouteId route_{};
};

}  // namespace paceline
