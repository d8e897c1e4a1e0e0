// SPDX-License-Identifier: MIT
#include "cli/library_of_point.hpp"

namespace paceline {

std::optional<LibraryModel> library_of(const Prediction& setting) {
  const AllReduce* library = setting.point->experiment.aggregation->all_reduce();
  const int workers = setting.plan.workers;
  if (library == nullptr || !library->native() || workers < 2) return {};
  const std::vector<int> places(setting.vertices.begin(), setting.vertices.begin() + workers);
  return LibraryModel(*setting.machine, places, setting.costs);
}

Operation operation_of(const Prediction& setting) {
  const auto& workload = setting.point->experiment.workload;
  return workload ? (*workload)->operation() : Operation::all_reduce;
}

}  // namespace paceline
