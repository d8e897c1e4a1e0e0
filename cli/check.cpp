// SPDX-License-Identifier: MIT
#include <exception>
#include <set>
#include <tuple>

#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/outlook.hpp"
#include "cli/profile_file.hpp"
#include "experiments/language/failure.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

/// The profile of this computer, if any. A file is valid without one, so a damaged profile is only
/// a note.
std::optional<Profile> profile_if_any(const Terminal& terminal) {
  try {
    return load_default_profile(terminal.err);
  } catch (const SpecError& error) {
    terminal.err << "note: " << error.what() << "\n";
    return std::nullopt;
  }
}

/// Errors of points on described machines that have no prediction, such as a link for which no
/// times are known. One point of each machine, software, network and aggregation is tried.
std::vector<std::string> unpredictable(const ExperimentFile& file) {
  using Parts = std::tuple<const void*, const void*, const void*, std::string>;
  std::set<Parts> tried;
  std::set<std::string> seen;
  std::vector<std::string> errors;
  for (const ExperimentPoint& point : file.points) {
    if (!point.machine || !not_predictable(point, Device::any, nullptr).empty()) continue;
    const Parts parts{point.machine.get(), point.software.get(), point.network.get(),
                      to_flow(Value<Choice<Aggregation>>::write(point.experiment.aggregation))};
    if (!tried.insert(parts).second) continue;
    try {
      prediction_of(point, Device::any, nullptr);
    } catch (const std::exception& problem) {
      const std::string why = in_plain_words(problem);
      if (seen.insert(why).second)
        errors.push_back(file.path + ": error: no prediction of " +
                         name_of(point, SweptLabels(file.points)) + ": " + why);
    }
  }
  return errors;
}

int check(const Options& options, const Terminal& terminal) {
  const std::vector<ExperimentFile> files = load_experiments(options);  // throws SpecError
  std::vector<std::string> errors;
  for (const ExperimentFile& file : files) {
    for (const std::string& error : unpredictable(file)) errors.push_back(error);
  }
  if (!errors.empty()) throw SpecError(join(errors, "\n"));
  note_idle_keys(files, options, terminal);
  if (options.quiet || !terminal.live) return kDone;
  ExecutionDevices devices(Device::any);
  const std::optional<Profile> profile = profile_if_any(terminal);
  for (const ExperimentFile& file : files) {
    terminal.err << outlook(file, devices, profile ? &*profile : nullptr);
  }
  return kDone;
}

}  // namespace

CommandRow check_command() {
  return {"check",
          "FILE...",
          "validate the file: exit code 0 if it is valid, and notes on keys without effect (on a "
          "terminal also what a run would do)",
          {"--set", "--seed", "--quiet"},
          check};
}

}  // namespace paceline
