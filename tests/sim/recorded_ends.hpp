// SPDX-License-Identifier: MIT
/// \file
/// An observer that keeps the times of a run, to compare one way of simulating with another.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "training/runtime/observer.hpp"

namespace paceline {

/// When each worker begins a mini-batch, has its gradient, and applies an update.
class RecordedEnds final : public Observer {
 public:
  void begun(RoleId worker, std::int64_t step, Instant at) override {
    all.push_back({at.ps, 0, worker, step});
  }
  void gradient_computed(WorkId work, Instant at, double) override {
    all.push_back({at.ps, 1, work.worker, work.step});
  }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    all.push_back({at.ps, 2, role, version});
  }
  std::vector<std::array<std::int64_t, 4>> all;
};

}  // namespace paceline
