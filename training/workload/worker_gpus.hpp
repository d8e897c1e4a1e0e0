// SPDX-License-Identifier: MIT
/// \file
/// The `gpus:` key of an experiment: the GPUs that workers use, in the order of the workers.
#pragma once
#include <vector>

#include "experiments/language/value.hpp"
#include "topology/machine.hpp"

namespace paceline {

struct WorkerGpus {
  enum class Order {
    in_order,  ///< worker i on GPU i: the first computer is filled first
    by_round,  ///< a GPU of each computer in turn
    listed,
  };
  Order order = Order::in_order;
  std::vector<int> list;  ///< by worker, where listed
  Location at;

  /// The GPU of every worker; shorter than `workers` where there are too few GPUs.
  /// \param machine null: one computer
  std::vector<int> of(int workers, const Machine* machine) const;
};

template <>
struct Value<WorkerGpus> {
  static TypeInfo type();
  static bool read(WorkerGpus& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const WorkerGpus& value);
};

}  // namespace paceline
