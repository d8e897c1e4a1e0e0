// SPDX-License-Identifier: MIT
/// \file
/// A file of the fastest library algorithm for each problem on this GPU, so that each problem is
/// timed only once. The cache is only advice: if the file is missing, damaged or from another GPU,
/// the algorithms are timed again.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace paceline::cuda {

/// Safe for several threads, and for several processes with the same file.
class AlgorithmCache {
 public:
  /// Reads "algorithms.yaml" in `folder`; with an empty folder nothing is stored. Entries are keyed
  /// by the model of `device`, on which the work runs, the versions of cuDNN and cuBLAS, and
  /// `multiprocessors`, the number that the work may use (0: all).
  explicit AlgorithmCache(const std::filesystem::path& folder, int device = 0,
                          int multiprocessors = 0);
  /// Calls save() and ignores errors, since the cache is only advice.
  ~AlgorithmCache();
  AlgorithmCache(const AlgorithmCache&) = delete;
  AlgorithmCache& operator=(const AlgorithmCache&) = delete;

  /// The choice stored for a problem ("convolution forward fp16 nhwc ..."), as passed to put().
  std::optional<std::string> find(const std::string& problem) const;
  /// Stores a choice. Both arguments must be one line of printable ASCII without double quotes.
  void put(const std::string& problem, const std::string& choice);
  /// Merges the choices since the last save with the file and replaces the file atomically. Throws
  /// std::system_error.
  void save();

  /// Number of put() calls, which is the number of problems timed.
  int choices_made() const;
  const std::filesystem::path& path() const { return path_; }
  /// Multiprocessors that the work may use; 0: all.
  int multiprocessors() const { return multiprocessors_; }

 private:
  using Entries = std::map<std::string, std::string>;
  static Entries read(const std::filesystem::path& path);

  const std::filesystem::path path_;
  const int multiprocessors_;
  const std::string device_;  ///< prefix of this device's keys
  mutable std::mutex mutex_;
  Entries entries_;  ///< of all devices in the file
  Entries unsaved_;  ///< new since the last save
  int choices_made_ = 0;
};

}  // namespace paceline::cuda
