// SPDX-License-Identifier: MIT
/// \file
/// Calls of the machine's collective library by workers that run in lanes. A call begins when the
/// last worker has come to it and ends for all at once, so that it is one interval of time for all
/// lanes. Its flows have the links to themselves: how long they take is worked out once for each
/// kind and size. Meanwhile the workers' layers go on at a share of their speed.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/costs/costs.hpp"
#include "topology/machine.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class LibraryLanes {
 public:
  /// All references must outlive this.
  LibraryLanes(const Machine& machine, const Costs& costs, const std::vector<int>& vertices,
               int workers);
  ~LibraryLanes();

  /// Carries out a call to which the last worker comes at `begin_ps`, after the last one is over.
  /// Returns its end.
  std::int64_t call(const Command::Collective& collective, std::int64_t begin_ps);
  /// The end of layers that begin at `begin_ps` and take `ps` at full speed, among the calls so
  /// far: they may not be overtaken by a later one.
  std::int64_t end_of_layers(std::int64_t begin_ps, double ps) const;
  std::int64_t flows() const { return flows_; }  ///< so far

 private:
  struct Call {
    std::int64_t begin = 0, end = 0;
    double speed = 1;
  };
  struct Links;

  const Machine& machine_;
  const Costs& costs_;
  const std::vector<int>& vertices_;
  int workers_;
  std::unique_ptr<Links> links_;  ///< once there is a call
  std::vector<Call> calls_;       ///< all, one after the other
  std::int64_t flows_ = 0;
};

}  // namespace paceline
