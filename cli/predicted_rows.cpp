// SPDX-License-Identifier: MIT
#include "cli/predicted_rows.hpp"

#include "cli/extremes_check.hpp"
#include "cli/point_runner.hpp"
#include "cli/profile_file.hpp"

namespace paceline {

bool predict_files(const std::vector<ExperimentFile>& files, const Options& options,
                   const Terminal& terminal, const UseOfRows& use) {
  check_extremes(files, options, {true, false});
  ExecutionDevices devices(Device::any);
  const std::optional<Profile> profile =
      profile_for(files, devices, {.quiet = options.quiet}, terminal);
  bool good = true;
  for (const ExperimentFile& file : files) {
    PointRun run;
    run.file = &file;
    run.profile = profile ? &*profile : nullptr;
    run.sources.predict = true;
    run.jobs = options.jobs;
    run.by_events = options.unfolded;
    run.quiet = options.quiet;
    const std::vector<ResultRow> rows = run_points(run, terminal).rows;
    use(file, rows);
    for (const ResultRow& row : rows) {
      if (row.usable()) continue;
      terminal.err << file.path << ": point " << row.index << ": " << row.measurement.status
                   << "\n";
      good = false;
    }
  }
  return good;
}

}  // namespace paceline
