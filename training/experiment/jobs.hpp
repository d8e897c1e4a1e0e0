// SPDX-License-Identifier: MIT
/// \file
/// Several jobs on one machine: the `jobs:` key. Each job is an experiment file of its own, with
/// one point; the file with the jobs says which machine they share and how long they are measured.
/// Each is predicted twice, alone and beside the others.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/sweep.hpp"
#include "training/workload/worker_gpus.hpp"

namespace paceline {

/// The most jobs on one machine.
inline constexpr std::size_t kMostJobs = 32;

struct Job {
  std::string experiment;  ///< path, relative to the file that names it
  WorkerGpus gpus;
  static void describe(Description<Job>& d);
};

/// The keys by which the points of jobs differ, as swept keys.
inline constexpr const char* kJobKey = "job";
inline constexpr const char* kFabricKey = "fabric";
inline constexpr const char* kAlone = "alone";
inline constexpr const char* kShared = "shared";

bool has_jobs(const Tree& root);

/// The jobs' documents, on the machine of the file: a list of jobs for each point of the file's own
/// sweep. Of the swept keys, `job` is the last.
/// \param path of the file
/// Throws SpecError with all errors.
std::vector<std::vector<PointTree>> expand_jobs(const Tree& root, const std::string& path,
                                                const ListKeys& lists);

}  // namespace paceline
