// SPDX-License-Identifier: MIT
/// \file
/// The time that an operation takes on a processor of its own.
#pragma once
#include <algorithm>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/devices/layer_clock.hpp"
#include "topology/machine.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class OperationCosts {
 public:
  /// All references must outlive this.
  OperationCosts(const Machine& machine, const Costs& costs, const LayerClock& layers,
                 const std::vector<int>& vertices, int workers)
      : machine_(machine), costs_(costs), layers_(layers), vertices_(vertices), workers_(workers) {}

  /// Picoseconds of a command other than a delay, a copy between memories and a collective.
  double arithmetic_ps(Stream stream, const Command& command) const;
  /// The same of layers that take `undisturbed` on an undisturbed worker; `variation` is the factor
  /// of the step.
  double compute_ps(std::int64_t undisturbed, RoleId worker, double variation) const {
    return static_cast<double>(undisturbed) * costs_.slowdown_of(worker) * variation;
  }
  /// The same with launches that take `launching`.
  double launched_ps(const LayerRange& layers, double ps, double launching) const {
    // a loop's steps alternate between the host and the GPU; else the host is ahead
    return costs_.loops(layers) ? ps + launching : std::max(ps, launching);
  }
  bool launches_are_free() const { return costs_.dispatch == Seconds{}; }
  /// Layers without arithmetic take as long as their launches.
  bool takes_no_time(const LayerRange& layers, WorkId work) const {
    return layers_.duration(layers, work) == 0 &&
           (launches_are_free() || costs_.dispatches(layers, layers_.shape_of(work)) == 0);
  }
  /// Of a copy within one memory.
  double copy_ps(const Command::Copy& copy) const;
  bool on_gpu(RoleId role) const;

 private:
  double update_launches_ps(RoleId role, const Slice& slice) const;

  const Machine& machine_;
  const Costs& costs_;
  const LayerClock& layers_;
  const std::vector<int>& vertices_;
  int workers_;
};

}  // namespace paceline
