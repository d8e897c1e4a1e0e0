// SPDX-License-Identifier: MIT
#include "training/strategies/workloads/workload_kind.hpp"

namespace paceline {

const Family<WorkloadKind>& table_of(const WorkloadKind*) {
  static const Family<WorkloadKind> table{"workload", {collective_workload()}};
  return table;
}

}  // namespace paceline
