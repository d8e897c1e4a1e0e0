// SPDX-License-Identifier: MIT
/// \file
/// How long equals wait for each other: where no server says so, the worker that is ready first
/// waits for the last. The metrics and the trace count the same waits.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "training/roles/command.hpp"

namespace paceline {

class ReplicaWaits {
 public:
  /// \param steps_per_gradient  mini-batches between two meetings
  ReplicaWaits(int workers, int steps_per_gradient)
      : workers_(workers), steps_per_gradient_(steps_per_gradient) {}

  /// A worker has its gradient of a mini-batch; once all have, `wait(work, begin, end)` is called
  /// for each that was early.
  template <class Wait>
  void ready(WorkId work, Instant at, const Wait& wait) {
    if ((work.step + 1) % steps_per_gradient_ != 0) return;  // it goes on alone
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
