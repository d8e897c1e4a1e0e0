// SPDX-License-Identifier: MIT
/// \file
/// Hand-written roles on the simulated clock of this computer, with a memory that takes no time.
#pragma once
#include <functional>
#include <vector>

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

using Program = std::function<Task<>(Backend&)>;

/// Runs `programs` as workers 0, 1, ...; seconds at the end.
inline double run_on_this_computer(const Costs& costs, const std::vector<Program>& programs) {
  HostFigures host;
  host.cores = costs.cores;
  host.copy_bandwidth = host.memory_bandwidth = BytesPerSecond{1e15};
  const Machine machine = this_machine(host);
  const int workers = static_cast<int>(programs.size());
  SimulatedMachine clock(machine, costs, std::vector<int>(programs.size(), 0), workers, nullptr);
  for (RoleId worker = 0; worker < workers; ++worker) {
    clock.start_role(worker, programs[static_cast<std::size_t>(worker)](clock));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
}

}  // namespace paceline
