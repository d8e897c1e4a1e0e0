// SPDX-License-Identifier: MIT
/// \file
/// Finishes the points of one experiment: takes what the disk has, runs the rest, keeps what it
/// ran. Rows come out sorted by point and source, whatever the number of threads.
#pragma once
#include <filesystem>
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/rows.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Where and with what the points run.
struct PointRun {
  const ExperimentFile* file = nullptr;
  const Profile* profile = nullptr;     ///< null unless a point is on this computer
  std::filesystem::path folder;         ///< of the finished points; empty: none are kept
  std::filesystem::path also_finished;  ///< another run's, to take from; empty: none
  Asked asked;
  ExecutionDevices* devices = nullptr;  ///< null: of `auto`, and nothing is executed
  int jobs = 1;
  bool trace = false;  ///< keep spans, and write trace.json.gz beside `folder`
  bool quiet = false;
};

/// The rows of all points. A point that fails has the reason for its status; sources that were not
/// asked for are there where an earlier run has finished them.
std::vector<ResultRow> run_points(const PointRun& run, const Terminal& terminal);

}  // namespace paceline
