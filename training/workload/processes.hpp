// SPDX-License-Identifier: MIT
/// \file
/// The `processes:` map of an experiment: several processes run the roles of a point and exchange
/// over TCP. Without it, one process runs all roles.
///
///     processes: {count: 4, bandwidth: 480 Mbit/s, latency: 80 us, cores: own}
#pragma once
#include <optional>
#include <vector>

#include "experiments/language/description.hpp"
#include "experiments/language/value.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

/// The cores that the processes compute on.
enum class ProcessCores {
  shared,  ///< all processes share one computer's cores
  own      ///< each process has a computer like this one
};
std::span<const EnumName<ProcessCores>> enum_names(const ProcessCores*);

struct Processes {
  int count = 1;
  std::optional<BytesPerSecond> bandwidth;  ///< absent: as measured by `calibrate`
  std::optional<Seconds> latency;           ///< absent: as measured by `calibrate`
  ProcessCores cores = ProcessCores::shared;
  static void describe(Description<Processes>& d);
};

/// The process of each role: workers in blocks of neighbours, servers on process 0 or, with
/// `servers_everywhere`, shard s on process s modulo the processes. Empty for one process. Requires
/// processes <= workers.
std::vector<int> processes_of_roles(int processes, int workers, int shards,
                                    bool servers_everywhere);

}  // namespace paceline
