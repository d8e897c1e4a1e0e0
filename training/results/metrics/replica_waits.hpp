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

  /// A worker, or as many equal ones as it stands for, has its gradient of a mini-batch. Once all
  /// have theirs, `wait(work, workers, begin, end)` is called for each that was early.
  template <class Wait>
  void ready(WorkId work, Instant at, int workers, const Wait& wait) {
    if ((work.step + 1) % steps_per_gradient_ != 0) return;  // no exchange after this mini-batch
    Step& step = steps_[work.step];
    step.early.push_back({work.worker, workers, at});
    step.last = std::max(step.last, at);
    step.workers += workers;
    if (step.workers < workers_) return;
    const auto done = steps_.extract(work.step);
    const Instant last = done.mapped().last;
    for (const Early& one : done.mapped().early) {
      if (last > one.at) wait(WorkId{one.worker, work.step}, one.workers, one.at, last);
    }
  }

 private:
  struct Early {
    RoleId worker = 0;
    int workers = 1;
    Instant at;
  };
  struct Step {
    std::vector<Early> early;
    int workers = 0;
    Instant last;
  };
  int workers_;
  int steps_per_gradient_;
  std::map<std::int64_t, Step> steps_;
};

}  // namespace paceline
