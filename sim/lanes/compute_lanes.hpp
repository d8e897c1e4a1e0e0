// SPDX-License-Identifier: MIT
/// \file
/// The compute streams of all workers. An operation begins in each lane when the lane's last one
/// has ended, what it waits for is there, and the host has queued it. Where workers of a computer
/// share the thread that launches kernels, their lanes take turns in the order of time. While the
/// collective library runs, layers take longer.
#pragma once
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/devices/host_thread.hpp"
#include "sim/devices/operation_costs.hpp"
#include "sim/lanes/lane_operation.hpp"
#include "sim/lanes/library_lanes.hpp"

namespace paceline {

class ComputeLanes {
 public:
  /// All references must outlive this.
  ComputeLanes(const Costs& costs, const LayerClock& layers, const OperationCosts& lengths,
               const LibraryLanes& library, std::size_t lanes);

  /// Works out the begins and ends of operations that are queued in this order. Calls of the
  /// library that begin before these ends must be known.
  void evaluate(std::span<LaneOperation> operations);

  /// The end of a delay of each worker that begins at `begin`.
  std::int64_t delayed(const LaneOperation& delay, std::size_t lane, std::int64_t begin) const;

 private:
  /// A lane that waits for its turn.
  struct Turn {
    std::int64_t begin = 0;
    std::uint32_t wave = 0;  ///< those before it at one time took no time
    std::size_t lane = 0;
    std::size_t next = 0;  ///< operation
    bool operator>(const Turn& other) const {
      return std::tuple{begin, wave, lane} > std::tuple{other.begin, other.wave, other.lane};
    }
  };
  void evaluate_together(std::span<LaneOperation> operations, std::size_t first, std::size_t last);
  std::int64_t begin_of(const LaneOperation& operation, std::size_t lane) const;
  void carry_out(LaneOperation& operation, std::size_t lane, std::int64_t begin);
  bool is_launched(const LaneOperation& operation, std::size_t lane) const;
  std::int64_t arithmetic_end(const LaneOperation& operation, std::size_t lane, std::int64_t begin);
  double variation_of(std::int64_t step, std::size_t lane);

  const Costs& costs_;
  const LayerClock& layers_;
  const OperationCosts& lengths_;
  const LibraryLanes& library_;
  HostThread host_;
  LaneTimes ends_;                                           ///< of the streams
  std::vector<std::pair<std::size_t, std::size_t>> groups_;  ///< lanes that share a dispatcher
  std::int64_t varied_step_ = -1;
  std::vector<double> variation_;  ///< of that step, by lane
};

}  // namespace paceline
