// SPDX-License-Identifier: MIT
/// \file
/// A finished point on the disk: one file for each point and source, so that a run that was stopped
/// goes on where it was. Files are keyed by all that determines what is in them.
#pragma once
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "training/metrics/measurement.hpp"
#include "training/profile/profile.hpp"
#include "training/setting.hpp"

namespace paceline {

/// A figure of a measurement and its column in results.csv.
struct Figure {
  const char* column;
  std::optional<double> Measurement::*value;
};

/// All figures, in the order of the columns.
std::span<const Figure> figures();

/// The steps that are kept of a measurement: the first of the first repeat, the same number of
/// every worker, at most 400 of all workers together.
void keep_first_steps(Measurement& measurement, int workers);

/// The text of the file called `key`, and back; nothing where the text is not exactly as it was
/// written, or under another key.
std::string point_text(const std::string& key, const Measurement& measurement);
std::optional<Measurement> read_point_text(const std::string& key, const std::string& text);

/// What names the file: a hash of the point with all defaults, of what its names stand for, of the
/// profile's part that it uses (of GPUs, or of the host), of the program's version and of the
/// source.
std::string point_key(const ExperimentPoint& point, const Profile* profile,
                      const std::string& source, bool on_gpus = false);

/// The measurement in `folder`, if a run has finished it. A damaged file is a line on `notes`.
std::optional<Measurement> load_point(const std::filesystem::path& folder, const std::string& key,
                                      std::ostream& notes);
void save_point(const std::filesystem::path& folder, const std::string& key,
                const Measurement& measurement);

}  // namespace paceline
