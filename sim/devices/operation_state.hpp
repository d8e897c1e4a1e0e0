// SPDX-License-Identifier: MIT
/// \file
/// The state of an operation that is under way in the simulator. The device that carries it out
/// keeps its part in `work`.
#pragma once
#include <variant>
#include <vector>

#include "sim/devices/paths.hpp"
#include "sim/devices/timeline.hpp"
#include "sim/network/fluid_network.hpp"

namespace paceline {

class Processor;

/// Arithmetic that a processor does as a whole.
struct ArithmeticWork {
  double total_ps = 0;         ///< at full speed
  double left_ps = 0;          ///< at full speed, at `since_ps`
  std::int64_t since_ps = 0;   ///< when `left_ps` was true
  std::int64_t layers_ps = 0;  ///< of an undisturbed worker: where cancelled layers end
};

/// Arithmetic that a processor does layer after layer.
struct LayerWalk {
  std::int32_t begun = 0;  ///< layers
  bool waits = false;      ///< all layers are done, and the operation ends later
  double total_ps = 0;     ///< at full speed
  double pace = 1;         ///< of the layers' times and bytes: the step's variation
  std::int64_t since_ps = 0;
  std::int64_t layer_ps = 0;       ///< when the layer under way began
  std::int64_t not_before_ps = 0;  ///< the operation ends no sooner: kernels are launched till then
};

/// A copy over a path.
struct Transfer {
  Path* path = nullptr;
  double amount = 0;  ///< in the network's units of flow
};

/// All that a delay needs lies in one cache line.
struct alignas(64) OperationState {
  std::uint32_t generation = 0;  ///< of the event that counts; others are stale
  bool handed_over = true;       ///< the host thread has passed it to its device
  bool on_core = false;          ///< it occupies a core of the host, or is about to
  bool stopping = false;         ///< cancelled arithmetic that goes on to the next layer's border
  std::int64_t handed_ps = 0;    ///< when the host thread passes it on
  std::int64_t began_ps = 0;
  Processor* processor = nullptr;  ///< that does its arithmetic; null: it has none
  FlowId flow;                     ///< of its arithmetic or its bytes
  std::variant<ArithmeticWork, LayerWalk, Transfer> work;
};

/// By index.
class OperationStates {
 public:
  OperationState& operator[](OpIndex op) {
    if (op >= operations_.size())
      operations_.resize(std::max<std::size_t>(op + 1, 2 * operations_.size()));
    return operations_[op];
  }
  const OperationState& at(OpIndex op) const { return operations_[op]; }

 private:
  std::vector<OperationState> operations_;
};

}  // namespace paceline
