// SPDX-License-Identifier: MIT
/// \file
/// A finished point on the disk: one JSON file for each point and source, so that an interrupted
/// run continues where it stopped. The file's name is a hash of everything that determines its
/// content.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
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

/// Hashes of the networks, machines and software stacks that the points of a sweep share, each made
/// once. The parts must outlive it. Thread-safe.
class SharedParts {
 public:
  std::string hash_of(const Network& network);
  std::string hash_of(const Machine& machine);
  std::string hash_of(const Software& software);

 private:
  std::string known(const void* part, const std::function<std::string()>& text);

  std::mutex mutex_;
  std::map<const void*, std::string> hashes_;
};

/// A hash of everything that determines the results of a point: the resolved point, the program's
/// version, and `profile` (may be null) without the parts that the point cannot use.
std::string point_content(const ExperimentPoint& point, const Profile* profile, bool on_gpus,
                          SharedParts& parts);

/// The name of the file with the results of one source.
std::string key_of(const std::string& content, const std::string& source);
std::string point_key(const ExperimentPoint& point, const Profile* profile,
                      const std::string& source, bool on_gpus = false);

/// The measurement in `folder`; empty if no run has finished it. Notes a damaged file on `notes`.
std::optional<Measurement> load_point(const std::filesystem::path& folder, const std::string& key,
                                      std::ostream& notes);
/// Saves a measurement. A prediction can be made again, so that it may be left to the system when
/// the file reaches the disk.
void save_point(const std::filesystem::path& folder, const std::string& key,
                const Measurement& measurement, bool flush = true);

}  // namespace paceline
