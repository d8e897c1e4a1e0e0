// SPDX-License-Identifier: MIT
#include "training/workload/processes.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<ProcessCores>> enum_names(const ProcessCores*) {
  static constexpr std::array<EnumName<ProcessCores>, 2> kNames{
      {{"shared", ProcessCores::shared}, {"own", ProcessCores::own}}};
  return kNames;
}

void Processes::describe(Description<Processes>& d) {
  d.optional("count", &Processes::count,
             "processes that run the roles: workers in blocks, servers on the first")
      .at_least(1)
      .at_most(256);
  d.optional("bandwidth", &Processes::bandwidth,
             "goodput of a process's link, each way (default: as measured by calibrate)")
      .above(BytesPerSecond{0});
  d.optional("latency", &Processes::latency,
             "time of an empty copy until its acknowledgement (default: as measured by calibrate)")
      .at_least(Seconds{0});
  d.optional("cores", &Processes::cores,
             "shared: all processes share this computer's cores; own: each has as many cores");
}

std::vector<int> processes_of_roles(int processes, int workers, int shards,
                                    bool servers_everywhere) {
  std::vector<int> of_role;
  if (processes <= 1) return of_role;
  for (int worker = 0; worker < workers; ++worker) {
    of_role.push_back(static_cast<int>(std::int64_t{worker} * processes / workers));
  }
  for (int shard = 0; shard < shards; ++shard) {
    of_role.push_back(servers_everywhere ? shard % processes : 0);
  }
  return of_role;
}

}  // namespace paceline
