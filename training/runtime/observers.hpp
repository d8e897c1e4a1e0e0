// SPDX-License-Identifier: MIT
/// \file
/// An observer that hands on what it is told to several, in their order.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "training/roles/observer.hpp"

namespace paceline {

class Observers final : public Observer {
 public:
  /// All of `told` must outlive this.
  explicit Observers(std::vector<Observer*> told) : told_(std::move(told)) {}

  void begun(RoleId worker, std::int64_t step, Instant at) override {
    for (Observer* one : told_) one->begun(worker, step, at);
  }
  void span(WorkId work, Activity activity, Instant begin, Instant end) override {
    for (Observer* one : told_) one->span(work, activity, begin, end);
  }
  void gradient_computed(WorkId work, Instant at, double loss) override {
    for (Observer* one : told_) one->gradient_computed(work, at, loss);
  }
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override {
    for (Observer* one : told_) one->accepted(worker, step, computed, applied);
  }
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override {
    for (Observer* one : told_) one->cancelled(worker, step, version, at);
  }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    for (Observer* one : told_) one->updated(role, version, at);
  }
  void died(RoleId worker, Instant at) override {
    for (Observer* one : told_) one->died(worker, at);
  }
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    for (Observer* one : told_) one->operation(stream, command, begin, end);
  }
  bool wants_parts() const override {
    return std::any_of(told_.begin(), told_.end(),
                       [](const Observer* one) { return one->wants_parts(); });
  }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override {
    for (Observer* one : told_) one->part(work, layers, begin, end);
  }

 private:
  std::vector<Observer*> told_;
};

}  // namespace paceline
