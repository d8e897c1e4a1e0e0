// SPDX-License-Identifier: MIT
/// \file
/// The clock, the links, and the memory of the host where servers work: all that jobs on one
/// machine have in common. A job alone has one to itself.
#pragma once
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/devices/timeline.hpp"
#include "sim/network/fluid_network.hpp"
#include "topology/machine.hpp"
#include "training/runtime/storage.hpp"

namespace paceline {

class SimulatedMachine;

class SharedMachine {
 public:
  Agenda& agenda() { return agenda_; }
  FluidNetwork& network() { return network_; }

  /// The resources of the links of `machine`, made by the first job that needs them. Processes of
  /// one job that are on different computers of the same kind have a set for each.
  const std::vector<std::vector<ResourceId>>& links(const Machine& machine, int computers);
  /// The way through a computer's memory or over its cores, which gives `at_once` servers or
  /// loaders all that they can take.
  enum class HostPart : std::uint8_t { memory, cores };
  RouteId host(HostPart part, int computer, double at_once);
  Storage& storage(int computer) { return storages_[computer]; }

  /// Runs `jobs`, numbered as in the list, until all roles of the first have ended and, where it is
  /// the only one, everything that they left under way. Throws as SimulatedMachine::run() does.
  void run(std::span<SimulatedMachine* const> jobs);

 private:
  void settle();
  void happen(const Event& event, std::span<SimulatedMachine* const> jobs);

  Agenda agenda_;
  FluidNetwork network_;
  std::vector<std::vector<ResourceId>> links_;
  std::map<std::pair<HostPart, int>, RouteId> hosts_;  ///< by part and computer
  std::map<int, Storage> storages_;                    ///< by computer
};

}  // namespace paceline
