// SPDX-License-Identifier: MIT
/// \file
/// The `processes:` map: a point whose roles several processes run, which exchange over TCP. Absent
/// means that one process runs them all.
///
///     processes: {count: 4, bandwidth: 480 Mbit/s, latency: 80 us, cores: own}
#pragma once
#include <optional>
#include <vector>

#include "experiments/description.hpp"
#include "experiments/value.hpp"
#include "training/roles/command.hpp"

namespace paceline {

/// Whose cores the processes compute on.
enum class ProcessCores {
  shared,  ///< one computer's: all processes run on it
  own      ///< each is on a computer like this one
};
std::span<const EnumName<ProcessCores>> enum_names(const ProcessCores*);

struct Processes {
  int count = 1;
  std::optional<BytesPerSecond> bandwidth;  ///< absent: as `calibrate` measured it
  std::optional<Seconds> latency;           ///< likewise
  ProcessCores cores = ProcessCores::shared;
  static void describe(Description<Processes>& d);
};

/// By role, the process that runs it: workers in blocks of neighbours, servers on process 0, or
/// (`servers_everywhere`) shard s on process s. Empty for one process. Requires processes <=
/// workers, and as many shards as processes where servers are everywhere.
std::vector<int> processes_of_roles(int processes, int workers, int shards,
                                    bool servers_everywhere);

}  // namespace paceline
