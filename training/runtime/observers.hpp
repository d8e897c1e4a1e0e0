// SPDX-License-Identifier: MIT
/// \file
/// An observer that passes every event on to several others, in their order.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "training/runtime/observer.hpp"

namespace paceline {

class Observers final : public Observer {
 public:
  /// All of `others` must outlive this.
  explicit Observers(std::vector<Observer*> others) : others_(std::move(others)) {}

  void stands_for(int workers) override {
    for (Observer* one : others_) one->stands_for(workers);
  }
  void begun(RoleId worker, std::int64_t step, Instant at) override {
    for (Observer* one : others_) one->begun(worker, step, at);
  }
  void span(WorkId work, Activity activity, Instant begin, Instant end) override {
    for (Observer* one : others_) one->span(work, activity, begin, end);
  }
  void gradient_computed(WorkId work, Instant at, double loss) override {
    for (Observer* one : others_) one->gradient_computed(work, at, loss);
  }
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override {
    for (Observer* one : others_) one->accepted(worker, step, computed, applied);
  }
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override {
    for (Observer* one : others_) one->cancelled(worker, step, version, at);
  }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    for (Observer* one : others_) one->updated(role, version, at);
  }
  void died(RoleId worker, Instant at) override {
    for (Observer* one : others_) one->died(worker, at);
  }
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    for (Observer* one : others_) one->operation(stream, command, begin, end);
  }
  bool observes_parts() const override {
    return std::any_of(others_.begin(), others_.end(),
                       [](const Observer* one) { return one->observes_parts(); });
  }
  bool observes_steps() const override {
    return std::any_of(others_.begin(), others_.end(),
                       [](const Observer* one) { return one->observes_steps(); });
  }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override {
    for (Observer* one : others_) one->part(work, layers, begin, end);
  }

 private:
  std::vector<Observer*> others_;
};

}  // namespace paceline
