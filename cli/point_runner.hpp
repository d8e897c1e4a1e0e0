// SPDX-License-Identifier: MIT
/// \file
/// Completes the points of one experiment: loads finished points from the disk, runs the others and
/// saves their results. Rows are sorted by point and source, independent of the number of threads.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/shard.hpp"
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
  std::optional<Shard> shard;           ///< runs this part only; none: all points
  int jobs = 1;
  bool trace = false;      ///< keep spans, and write trace.json.gz beside `folder`
  bool save = false;       ///< keep the weights of points that train, beside `folder`
  bool by_events = false;  ///< predict without folding and without working ahead
  bool quiet = false;
};

/// The rows of points. The status of a failed point is the reason. Sources that were not requested
/// are included if an earlier run has finished them.
struct PointRows {
  std::vector<ResultRow> rows;  ///< of all points; of this part only if points are missing
  std::size_t own = 0;          ///< points of this part
  std::size_t missing = 0;      ///< points without results, where a part was run
  std::string unsaved{};        ///< why a result could not be written to the disk; "" if all were
};

/// Runs all points, or those of one part. A part has the rows of all points once every part has
/// finished.
PointRows run_points(const PointRun& run, const Terminal& terminal);

}  // namespace paceline
