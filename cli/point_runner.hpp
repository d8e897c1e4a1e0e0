// SPDX-License-Identifier: MIT
/// \file
/// Completes the points of one experiment: loads finished points from the disk, runs the others and
/// saves their results. Rows are sorted by point and source, independent of the number of threads.
#pragma once
#include <filesystem>
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/speedup.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The inputs of a run of points.
struct PointRun {
  const ExperimentFile* file = nullptr;
  const Profile* profile = nullptr;     ///< null unless a point is on this computer
  std::filesystem::path folder;         ///< of finished points; empty: none are kept
  std::filesystem::path also_finished;  ///< another run's folder, to copy from; empty: none
  SourceSelection sources;
  ExecutionDevices* devices = nullptr;  ///< null: `auto`, and nothing is executed
  int jobs = 1;
  bool trace = false;      ///< keep spans, and write trace.json.gz beside `folder`
  bool by_events = false;  ///< predict without folding and without working ahead
  bool quiet = false;
};

/// The rows of all points. The status of a failed point is the reason. Sources that were not
/// requested are included if an earlier run has finished them.
std::vector<ResultRow> run_points(const PointRun& run, const Terminal& terminal);

}  // namespace paceline
