// SPDX-License-Identifier: MIT
/// \file
/// Locks of a results folder: one run at a time writes the folder, and one part of a sweep at a
/// time writes the results of all parts.
#pragma once
#include <filesystem>
#include <string>

namespace paceline {

class ResultsLock {
 public:
  /// Tries to lock `folder`, without waiting. A file system without locks counts as locked by this
  /// process: results are written whole, so two writers of the same results do no harm.
  explicit ResultsLock(const std::filesystem::path& folder);
  ~ResultsLock();
  ResultsLock(const ResultsLock&) = delete;
  ResultsLock& operator=(const ResultsLock&) = delete;
  /// False if another process has the lock.
  bool held() const { return held_; }

 private:
  int file_;
  bool held_;
};

/// The writers that a results folder may have at a time.
enum class Writers {
  one,    ///< a run of all points
  parts,  ///< the parts of a sweep, which share the folder
};

/// The claim of a run on its results folder, held while this object exists. The file `.lock` in the
/// folder names the process; it is removed with the last claim.
class ResultsClaim {
 public:
  /// Throws std::runtime_error that names the process, its start and its command, if another
  /// process writes the folder. On a file system without locks the folder is not protected.
  ResultsClaim(const std::filesystem::path& folder, Writers writers, const std::string& command);
  ~ResultsClaim();
  ResultsClaim(const ResultsClaim&) = delete;
  ResultsClaim& operator=(const ResultsClaim&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace paceline
