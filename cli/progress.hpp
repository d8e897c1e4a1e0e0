// SPDX-License-Identifier: MIT
/// \file
/// How far a run is: a bar with the time left on a terminal, a plain line now and then elsewhere.
/// Thread-safe.
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
  /// The name of the point in work, shown beside the bar: "vgg16, async, 8 workers".
  void say(const std::string& next);

 private:
  void draw() const;

  const Terminal& terminal_;
  const std::string what_;
  const std::size_t total_;
  const std::string things_;
  const bool quiet_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::string next_;
  std::chrono::steady_clock::time_point said_ = began_;
};

/// The time until `total` are done, from the time that `done` took: "about 2 min left"; "" while
/// none is done.
std::string time_left(std::chrono::duration<double> elapsed, std::size_t done, std::size_t total);

}  // namespace paceline
