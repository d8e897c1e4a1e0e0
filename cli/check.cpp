// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"
#include "cli/outlook.hpp"
#include "cli/profile_file.hpp"
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

int check(const Options& options, const Terminal& terminal) {
  const std::vector<ExperimentFile> files = load_experiments(options);  // throws SpecError
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
          "validate the file; no output and exit code 0 if it is valid (on a terminal: what a run "
          "would do)",
          {"--set", "--seed", "--quiet"},
          check};
}

}  // namespace paceline
