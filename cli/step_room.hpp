// SPDX-License-Identifier: MIT
/// \file
/// The room that steps.csv has: the steps of a large sweep's later points are never written, and
/// would fill the memory.
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

#include "cli/results_csv.hpp"

namespace paceline {

/// Thread-safe.
class StepRoom {
 public:
  explicit StepRoom(std::size_t points) : rows_(points) {}
  /// Notes that `point` has `rows` steps. False if those of earlier points fill the file already.
  bool has_room_for(std::size_t point, std::size_t rows) {
    const std::lock_guard lock(mutex_);
    rows_[point] = rows;
    std::size_t earlier = 0;
    for (std::size_t i = 0; i < point && earlier <= kMostSteps; ++i) earlier += rows_[i];
    return earlier <= kMostSteps;
  }

 private:
  std::mutex mutex_;
  std::vector<std::size_t> rows_;
};

}  // namespace paceline
