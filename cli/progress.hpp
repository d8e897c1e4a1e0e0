// SPDX-License-Identifier: MIT
/// \file
/// Shows the progress of a run: on a terminal, a bar with the remaining time; elsewhere, an
/// occasional plain line. Thread-safe.
#pragma once
#include <chrono>
#include <mutex>
#include <string>

#include "cli/command.hpp"

namespace paceline {

class ProgressBar final {
 public:
  /// Counts to `total`; `noun` names the items in plain lines. Silent if `quiet`.
  ProgressBar(const Terminal& terminal, std::string what, std::size_t total, bool quiet,
              std::string noun = "points");
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void advance();
  /// Sets the name of the current point, shown beside the bar: "vgg16, async, 8 workers".
  void set_current(const std::string& next);

 private:
  void draw() const;

  const Terminal& terminal_;
  const std::string what_;
  const std::size_t total_;
  const std::string noun_;
  const bool quiet_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::string next_;
  std::chrono::steady_clock::time_point last_drawn_ = began_;
};

/// The estimated remaining time after `done` of `total` in `elapsed`: "about 2 min left"; "" if
/// none is done.
std::string time_left(std::chrono::duration<double> elapsed, std::size_t done, std::size_t total);

}  // namespace paceline
