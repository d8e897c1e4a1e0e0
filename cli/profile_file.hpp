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
#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// results/.profiles/HOST.yaml
std::filesystem::path default_profile_path();

/// The profile in a file; nothing where there is none, or (after a line on `err`) where it is
/// another computer's, another version's, or damaged.
std::optional<Profile> load_profile(const std::filesystem::path& path, std::ostream& err);
void save_profile(const std::filesystem::path& path, const Profile& profile);

/// Measures what `points` on `machine: this` need and `profile` lacks, after one line that says so.
/// Returns whether anything was measured.
bool calibrate_missing(std::optional<Profile>& profile,
                       const std::vector<const ExperimentPoint*>& points, std::ostream& err);

/// The profile that `files` need where `asked` measures: loaded, completed and saved; nothing where
/// no point is on this computer's host.
std::optional<Profile> profile_for(const std::vector<ExperimentFile>& files, Device asked,
                                   std::ostream& err);

}  // namespace paceline
