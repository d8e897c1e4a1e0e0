// SPDX-License-Identifier: MIT
/// \file
/// The time that workers spend on mini-batches that no update takes: those that are cancelled, or
/// lost with a worker that dies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "training/results/metrics/time_sum.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class WastedTime {
 public:
  explicit WastedTime(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// Time on a mini-batch; a negative length takes time back. It may be reported after the
  /// mini-batch was cancelled: a layer runs to its end, and meanwhile the worker's next ones may be
  /// cancelled before they begin.
  void spent(WorkId work, std::int64_t length_ps) {
    Worker& worker = of(work.worker);
    if (work.step >= worker.first_cancelled && work.step <= worker.last_cancelled) {
      sum_.add(length_ps);
      return;
    }
    std::vector<MiniBatch>& open = worker.open;
    const auto current = std::ranges::find(open.rbegin(), open.rend(), work.step, &MiniBatch::step);
    if (current != open.rend()) {
      current->spent_ps += length_ps;
    } else {
      open.push_back({work.step, length_ps});
    }
  }
  /// The gradients of a worker's mini-batches up to `step` are taken.
  void accepted(RoleId worker, std::int64_t step) {
    std::erase_if(of(worker).open, [&](const MiniBatch& one) { return one.step <= step; });
  }
  void cancelled(RoleId worker, std::int64_t step) {
    Worker& its = of(worker);
    if (step != its.last_cancelled + 1) its.first_cancelled = step;
    its.last_cancelled = step;
    const auto found = std::ranges::find(its.open, step, &MiniBatch::step);
    if (found == its.open.end()) return;
    sum_.add(found->spent_ps);
    its.open.erase(found);
  }

  double seconds() const { return sum_.seconds(); }

 private:
  struct MiniBatch {
    std::int64_t step = 0;
    std::int64_t spent_ps = 0;
  };
  struct Worker {
    std::vector<MiniBatch> open;  ///< begun, and neither accepted nor cancelled
    /// The last mini-batches that were cancelled one after another; none: -1 and -2.
    std::int64_t first_cancelled = -1, last_cancelled = -2;
  };
  Worker& of(RoleId worker) { return workers_[static_cast<std::size_t>(worker)]; }

  std::vector<Worker> workers_;
  TimeSum sum_;
};

}  // namespace paceline
