// SPDX-License-Identifier: MIT
/// \file
/// How far a run is: a bar on a terminal, a plain line now and then elsewhere. Thread-safe.
#pragma once
#include <chrono>
#include <mutex>
#include <string>

#include "cli/command.hpp"

namespace paceline {

class ProgressBar final {
 public:
  /// Counts to `total` of something; says nothing at all when `quiet`.
  ProgressBar(const Terminal& terminal, std::string what, std::size_t total, bool quiet,
              std::string things = "points");
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void advance();
  /// What comes next, shown beside the bar.
  void say(const std::string& next);

 private:
  void draw() const;

  const Terminal& terminal_;
  const std::string what_;
  const std::size_t total_;
  const std::string things_;
  const bool quiet_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::string next_;
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

}  // namespace paceline
