// SPDX-License-Identifier: MIT
/// \file
/// The memory of a worker over time, from the layers of a trace: what a layer keeps for backward is
/// held from the end of its forward pass to the end of its backward pass. A model, not a
/// measurement: no clock observes the memory itself.
#pragma once
#include <vector>

#include "experiments/language/units.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

struct WorkerMemory {
  Bytes always;  ///< weights, gradients, what an exchange and the optimizer need, workspace
  std::vector<Bytes> kept;  ///< by layer, of a mini-batch; empty: unknown
};

/// The memory from `at` on.
struct MemoryChange {
  Instant at;
  Bytes held;
};

/// The changes of a worker's memory in order of time; empty where `memory` is unknown.
std::vector<MemoryChange> memory_over_time(const Trace& trace, const WorkerMemory& memory,
                                           RoleId worker);

}  // namespace paceline
