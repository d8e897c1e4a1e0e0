// SPDX-License-Identifier: MIT
/// \file
/// A server shard's knowledge of the workers: which are alive, how far they are, and which of them
/// have a gradient in the update being gathered.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

class Roster {
 public:
  struct Worker {
    bool alive = true;
    bool contributed = false;      ///< to the update being gathered
    std::uint16_t life = 0;        ///< number of replacements
    std::int64_t completed = 0;    ///< mini-batches
    std::int64_t last_taken = -1;  ///< the last step of an accepted gradient
    Instant arrived;               ///< its last gradient, or its replacement after a death
  };

  explicit Roster(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  Worker& operator[](RoleId worker) { return workers_[static_cast<std::size_t>(worker)]; }
  const Worker& operator[](RoleId worker) const {
    return workers_[static_cast<std::size_t>(worker)];
  }

  int alive() const {
    return static_cast<int>(std::count_if(workers_.begin(), workers_.end(),
                                          [](const Worker& worker) { return worker.alive; }));
  }
  /// Workers that may contribute to the update being gathered or, with `count_dead`, have done so
  /// and died since.
  int able(bool count_dead) const {
    return static_cast<int>(
        std::count_if(workers_.begin(), workers_.end(), [count_dead](const Worker& worker) {
          return worker.alive || (count_dead && worker.contributed);
        }));
  }
  /// The fewest mini-batches that a worker has completed, of those alive but `besides`; empty where
  /// there are none.
  std::optional<std::int64_t> fewest_completed(RoleId besides = -1) const {
    std::optional<std::int64_t> fewest;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i].alive || static_cast<RoleId>(i) == besides) continue;
      fewest = std::min(fewest.value_or(workers_[i].completed), workers_[i].completed);
    }
    return fewest;
  }

 private:
  std::vector<Worker> workers_;
};

}  // namespace paceline
