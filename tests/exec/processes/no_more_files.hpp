// SPDX-License-Identifier: MIT
/// \file
/// A process without free file descriptors.
#pragma once
#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace paceline {

/// While this object exists, this process can open no files: the limit is lowered to slightly above
/// the open files, and the rest is taken. Put expectations after it, since a sanitizer needs files
/// itself.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    taken_.reserve(kMost);
    if (const int first = open("/dev/null", O_RDONLY | O_CLOEXEC); first >= 0) {
      taken_.push_back(first);
      const rlimit few{std::min<rlim_t>(before_.rlim_cur, first + kSpare), before_.rlim_max};
      setrlimit(RLIMIT_NOFILE, &few);
      for (int next = 0; taken_.size() < kMost && (next = dup(first)) >= 0;) taken_.push_back(next);
    }
  }
  ~NoMoreFiles() {
    for (const int file : taken_) close(file);
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  static constexpr int kSpare = 16;
  static constexpr std::size_t kMost = 1U << 17;  // bound for systems that ignore a lower limit

  rlimit before_{};
  std::vector<int> taken_;
};

}  // namespace paceline
