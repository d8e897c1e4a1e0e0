// SPDX-License-Identifier: MIT
/// \file
/// GPUs that each worker has to itself, and servers that share nothing: an operation
/// takes its time. While the collective library runs, it takes multiprocessors from the workers'
/// layers, which then go on at a share of their speed.
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "sim/devices/processor.hpp"

namespace paceline {

class OwnGpu final : public Processor {
 public:
  /// Roles below `workers` are workers.
  OwnGpu(const DeviceContext& context, DeviceListener& machine, int workers)
      : Processor(context, machine), workers_(workers) {}

  void start(OpIndex op, Stream stream, const Command& command, double ps,
             std::int64_t launched_ps) override;
  void release(OpIndex op) override;

  /// Layers go on at `speed`, a share of full speed.
  void set_speed(double speed);

 private:
  double left_ps(OpIndex op) const override;
  void restart(OpIndex op, double ps) override;

  static constexpr OpIndex kEnded = std::numeric_limits<OpIndex>::max();
  bool computes(OpIndex op) const {
    return op < place_.size() && place_[op] < computing_.size() && computing_[place_[op]] == op;
  }
  void compute(OpIndex op);
  void drop_ended();

  int workers_;
  double speed_ = 1;
  /// Workers' layers under way, in the order of their start, and kEnded.
  std::vector<OpIndex> computing_;
  std::vector<std::size_t> place_;  ///< by operation: in computing_, if it is there
  std::size_t ended_ = 0;           ///< in computing_
};

}  // namespace paceline
