// SPDX-License-Identifier: MIT
#include "exec/machine/usable_cores.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include <sched.h>

namespace paceline {
std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
  }
  return found;
}

int usable_cores() {
  const auto cores = static_cast<int>(usable_cpus().size());
  if (cores > 0) return cores;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<int> sockets_of_cores() {
  std::vector<int> packages;  // by socket: the system's number
  std::vector<int> sockets;
  for (const int cpu : usable_cpus()) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/physical_package_id");
    int package = 0;
    file >> package;
    const auto known = std::find(packages.begin(), packages.end(), package);
    sockets.push_back(static_cast<int>(known - packages.begin()));
    if (known == packages.end()) packages.push_back(package);
  }
  if (sockets.empty()) sockets.assign(static_cast<std::size_t>(usable_cores()), 0);
  return sockets;
}

}  // namespace paceline
