// SPDX-License-Identifier: MIT
/// \file
/// Lets one process at a time write the results of a sweep that several processes have finished.
#pragma once
#include <filesystem>

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

}  // namespace paceline
