// SPDX-License-Identifier: MIT
#include "cli/extremes_check.hpp"

#include <exception>

#include "cli/execution_device.hpp"
#include "sim/lanes/run_in_lanes.hpp"
#include "training/experiment/draws_check.hpp"

namespace paceline {
namespace {

std::string against_here(const ExperimentPoint& point, const Options& options,
                         SourceSelection sources) {
  if (sources.execute) return "an execution has every worker's delays";
  if (options.trace) return "--trace shows every worker";
  if (options.unfolded) return "--unfolded simulates every worker";
  if (point.experiment.workers == 1) return "";
  if (!point.machine) return "the workers share this computer";
  try {
    return against_extremes(prediction_of(point, options.device, nullptr));
  } catch (const std::exception&) {
    return "";  // the point fails with a message of its own
  }
}

/// Refuses the points that draw extremes for which `why` gives a reason.
template <class Why>
void refuse_where(const std::vector<ExperimentFile>& files, const Why& why) {
  Diagnostics refused;
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      if (point.experiment.draws != Draws::extremes) continue;
      const std::string reason = why(point);
      if (!reason.empty()) refuse_extremes(point, reason, refused);
    }
  }
  refused.throw_if_any();
}

}  // namespace

void check_extremes(const std::vector<ExperimentFile>& files, const Options& options,
                    SourceSelection sources) {
  refuse_where(files,
               [&](const ExperimentPoint& point) { return against_here(point, options, sources); });
}

void check_explained_extremes(const std::vector<ExperimentFile>& files) {
  refuse_where(files, [](const ExperimentPoint&) { return "an explanation shows every worker"; });
}

}  // namespace paceline
