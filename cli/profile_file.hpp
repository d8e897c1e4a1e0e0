// SPDX-License-Identifier: MIT
/// \file
/// The profile file of this computer and its completion. The profile is measured once and kept in
/// the user's cache folder; it is extended when an experiment trains a network without measured
/// times.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/execution_device.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// ~/.cache/paceline/HOST-KEY.yaml, with a key of the computer and the program's version;
/// results/.profiles/HOST.yaml if the environment names no folder for caches.
std::filesystem::path default_profile_path();
/// The path to write: the default one, or results/.profiles/HOST.yaml if that cannot be written.
std::filesystem::path writable_profile_path();

/// Loads a profile. Returns nothing if the file does not exist, or, after a line on `err`, if it
/// belongs to another computer or another version. Throws SpecError if the file is damaged: a
/// profile is expensive to measure and is not replaced without the user's consent.
std::optional<Profile> load_profile(const std::filesystem::path& path, std::ostream& err);
/// The profile that is kept for this computer: the later of that in the cache folder and that in
/// results/.profiles, where earlier versions kept it, and where it is if the cache is not writable.
std::optional<Profile> load_default_profile(std::ostream& err);
void save_profile(const std::filesystem::path& path, const Profile& profile);

/// Options for completing a profile during another command.
struct ProfileUse {
  bool quiet = false;
};

/// The profile that `files` need: loaded, completed as far as this computer can, and saved. Nothing
/// if no point is on this computer. Reports failed measurements on `terminal.err`.
std::optional<Profile> profile_for(const std::vector<ExperimentFile>& files,
                                   ExecutionDevices& devices, ProfileUse use,
                                   const Terminal& terminal);

}  // namespace paceline
