// SPDX-License-Identifier: MIT
#include <map>

#include "training/experiment/described_gpus.hpp"
#include "training/experiment/point_checks.hpp"

namespace paceline {

void check_jobs(const std::vector<std::shared_ptr<const ExperimentPoint>>& jobs,
                Diagnostics& diagnostics) {
  const auto& machine = jobs.front()->machine;
  const Tree& written = *jobs.front()->tree.find("machine");
  const bool here = written.is_scalar() && written.text == "this";
  if (!machine && !here) return;  // reported already
  if (here || machine->kind() != Machine::Kind::described || machine->gpu_count() == 0) {
    diagnostics.error(jobs.front()->place("machine"),
                      "jobs share a described machine with GPUs, such as dgx1-p100");
    return;
  }
  std::map<int, const ExperimentPoint*> users;  // by GPU
  for (const auto& job : jobs) {
    for (const char* key : {"workload", "train", "devices", "processes", "draws"}) {
      if (job->tree.find(key) == nullptr) continue;
      diagnostics.error(job->place(key),
                        "'" + std::string(key) + "' is for a job that has its machine to itself");
    }
    for (const int gpu : worker_gpus(*job)) {
      const auto [user, is_first] = users.emplace(gpu, job.get());
      if (is_first) continue;
      diagnostics.error(job->place("gpus"), "jobs '" + user->second->swept.back().value +
                                                "' and '" + job->swept.back().value +
                                                "' both have GPU " + std::to_string(gpu) +
                                                " (give each job 'gpus' of its own)");
      break;
    }
  }
}

}  // namespace paceline
