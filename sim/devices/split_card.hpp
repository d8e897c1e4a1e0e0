// SPDX-License-Identifier: MIT
/// \file
/// A card that is split into groups of multiprocessors, one a worker, with green contexts: layers
/// run one after another, each at the speed that the card's shared memory allows (CardMemory). A
/// slow worker's group stands still after its layers, in proportion, as it does where it is
/// executed.
#pragma once
#include "sim/devices/card_memory.hpp"
#include "sim/devices/host_cores.hpp"
#include "sim/devices/processor.hpp"

namespace paceline {

class SplitCard final : public Processor {
 public:
  /// Roles below `workers` are workers. References must outlive this.
  SplitCard(const DeviceContext& context, DeviceListener& machine, const CardMemory& memory,
            const HostCores& latency, int workers)
      : Processor(context, machine), memory_(memory), latency_(latency), workers_(workers) {}

  void start(OpIndex op, Stream stream, const Command& command, double ps,
             std::int64_t launched_ps) override;
  void go_on(OpIndex op) override;
  void advance(OpIndex op) override;
  void stop(OpIndex op, const LayerRange& layers) override;
  void note_cut(OpIndex op, const LayerRange& layers) override;
  bool walks_layers() const override { return true; }

 private:
  LayerWalk& walk(OpIndex op) { return std::get<LayerWalk>(operations_[op].work); }
  bool walks(OpIndex op) const {
    return std::holds_alternative<LayerWalk>(operations_.at(op).work);
  }
  void begin_next_layer(OpIndex op);
  bool begin_layer(OpIndex op, const CardMemory::Work& work, double pace);
  bool stand_still(OpIndex op, double slowdown);
  void report_layer(OpIndex op);
  // Sums and updates are not cancelled, and layers stop by themselves.
  double left_ps(OpIndex op) const override { return arithmetic(op).left_ps; }
  void restart(OpIndex, double) override {}

  const CardMemory& memory_;
  const HostCores& latency_;
  int workers_;
};

}  // namespace paceline
