// SPDX-License-Identifier: MIT
/// \file
/// The profile of this computer on the disk, and its calibration: measured once, kept under
/// results/.profiles/, added to when an experiment trains a network that it has no times of.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/execution_device.hpp"
#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// results/.profiles/HOST.yaml
std::filesystem::path default_profile_path();

/// The profile in a file; nothing where there is none, or (after a line on `err`) where it is
/// another computer's or another version's. Throws SpecError where it is damaged: it was measured
/// once, and is not replaced unasked.
std::optional<Profile> load_profile(const std::filesystem::path& path, std::ostream& err);
void save_profile(const std::filesystem::path& path, const Profile& profile);

/// How a profile is completed beside other work.
struct ProfileUse {
  bool quiet = false;
};

/// The profile that `files` need: loaded, completed as far as this computer can, and saved; nothing
/// where no point is on this computer. What could not be measured is said on `terminal.err`.
std::optional<Profile> profile_for(const std::vector<ExperimentFile>& files,
                                   ExecutionDevices& devices, ProfileUse use,
                                   const Terminal& terminal);

}  // namespace paceline
