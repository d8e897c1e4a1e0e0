// SPDX-License-Identifier: MIT
/// \file
/// The times that equal workers wait for each other. No server reports them: a worker that has its
/// gradient early waits for the last worker. The metrics and the trace count the same waits.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

class ReplicaWaits {
 public:
  /// \param steps_per_gradient  mini-batches between two exchanges
  ReplicaWaits(int workers, int steps_per_gradient)
      : workers_(workers), steps_per_gradient_(steps_per_gradient) {}

  /// A worker has its gradient of a mini-batch. Once all workers have theirs, `wait(work, begin,
  /// end)` is called for each worker that was early.
  template <class Wait>
  void ready(WorkId work, Instant at, const Wait& wait) {
    if ((work.step + 1) % steps_per_gradient_ != 0) return;  // no exchange after this mini-batch
    auto& ready = ready_[work.step];
    ready.emplace_back(work.worker, at);
    if (static_cast<int>(ready.size()) < workers_) return;
    Instant last;
    for (const auto& [worker, when] : ready) last = std::max(last, when);
    for (const auto& [worker, when] : ready) {
      if (last > when) wait(WorkId{worker, work.step}, when, last);
    }
    ready_.erase(work.step);
  }

 private:
  int workers_;
  int steps_per_gradient_;
  std::map<std::int64_t, std::vector<std::pair<RoleId, Instant>>> ready_;  ///< by step
};

}  // namespace paceline
