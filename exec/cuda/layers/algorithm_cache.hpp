// SPDX-License-Identifier: MIT
/// \file
/// Which algorithm of a library was the fastest for a problem on this GPU, kept in a file so that
/// it is timed once and found ever after. What it holds is only advice: a file that is missing,
/// broken or foreign costs nothing but timing again.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace paceline::cuda {

/// For several threads at once, and for several processes on one file.
class AlgorithmCache {
 public:
  /// Reads "algorithms.yaml" in `folder`; an empty folder means to keep nothing. Entries are those
  /// of the current device's kind, of the versions of cuDNN and cuBLAS, and of `multiprocessors`:
  /// how many of the GPU's the work may use (0: all).
  explicit AlgorithmCache(const std::filesystem::path& folder, int multiprocessors = 0);
  /// Saves; an error is swallowed, since the file is only advice.
  ~AlgorithmCache();
  AlgorithmCache(const AlgorithmCache&) = delete;
  AlgorithmCache& operator=(const AlgorithmCache&) = delete;

  /// What was chosen for the problem ("convolution forward fp16 nhwc ..."), in the words of whoever
  /// chose.
  std::optional<std::string> find(const std::string& problem) const;
  /// Remembers a choice. Both are one line of printable ASCII without double quotes.
  void put(const std::string& problem, const std::string& choice);
  /// Writes what was put since, whole, with what others have written meanwhile. Throws
  /// std::system_error.
  void save();

  /// Choices that were put here, which is how often something was timed.
  int choices_made() const;
  const std::filesystem::path& path() const { return path_; }
  /// Of the GPU's that the work may use; 0: all.
  int multiprocessors() const { return multiprocessors_; }

 private:
  using Entries = std::map<std::string, std::string>;
  static Entries read(const std::filesystem::path& path);

  const std::filesystem::path path_;
  const int multiprocessors_;
  const std::string device_;  ///< opens the keys of this device
  mutable std::mutex mutex_;
  Entries entries_;  ///< of every device in the file
  Entries made_;     ///< since the last save
  int choices_made_ = 0;
};

}  // namespace paceline::cuda
