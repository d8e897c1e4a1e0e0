// SPDX-License-Identifier: MIT
/// \file
/// A finished point on the disk: one JSON file for each point and source, so that an interrupted
/// run continues where it stopped. The file's name is a hash of everything that determines its
/// content.
#pragma once
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "training/experiment/setting.hpp"
#include "training/profile/profile.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// Removes all steps but the first ones of the first repeat: the same number for every worker, at
/// most 400 in total.
void keep_first_steps(Measurement& measurement, int workers);

/// The text of the file named `key`, and the measurement in it: empty if the text was changed or
/// has another key.
std::string point_text(const std::string& key, const Measurement& measurement);
std::optional<Measurement> read_point_text(const std::string& key, const std::string& text);

/// The file's name: a hash of the resolved point, the source, the program's version, and `profile`
/// (may be null) without the parts that the point cannot use.
std::string point_key(const ExperimentPoint& point, const Profile* profile,
                      const std::string& source, bool on_gpus = false);

/// The measurement in `folder`; empty if no run has finished it. Notes a damaged file on `notes`.
std::optional<Measurement> load_point(const std::filesystem::path& folder, const std::string& key,
                                      std::ostream& notes);
void save_point(const std::filesystem::path& folder, const std::string& key,
                const Measurement& measurement);

}  // namespace paceline
