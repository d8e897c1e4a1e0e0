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

  /// The resource of a link of `machine`, made for the first copy that crosses it. Processes of one
  /// job that are on different computers of the same kind have one for each of these.
  ResourceId link(const Machine& machine, int computer, int link);
  /// The way through a computer's memory, over its cores, or over a GPU, which gives `at_once`
  /// roles all that they can take. `number`: of the computer, or the GPU's vertex.
  enum class Part : std::uint8_t { memory, cores, gpu };
  RouteId part(Part part, int number, double at_once);
  /// Of records, or of checkpoints.
  Storage& storage(int computer, bool writes) { return storages_[{computer, writes}]; }

  /// Runs `jobs`, numbered as in the list, until all roles of the first have ended and, where it is
  /// the only one, everything that they left under way. Throws as SimulatedMachine::run() does.
  void run(std::span<SimulatedMachine* const> jobs);
  /// Whether one job has it to itself.
  bool of_one_job() const { return of_one_job_; }

 private:
  static bool start_launches(std::span<SimulatedMachine* const> jobs);
  void settle();
  void happen(const Event& event, std::span<SimulatedMachine* const> jobs);

  bool of_one_job_ = true;
  Agenda agenda_;
  FluidNetwork network_;
  std::map<std::pair<int, int>, ResourceId> links_;  ///< by computer and link
  std::map<std::pair<Part, int>, RouteId> parts_;
  std::map<std::pair<int, bool>, Storage> storages_;  ///< by computer, and whether written
};

}  // namespace paceline
