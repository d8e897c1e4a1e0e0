// SPDX-License-Identifier: MIT
/// \file
/// Turns what happens in a run into the figures of results.csv. The window runs from the last
/// warm-up update to the last update; every span is clipped to it, so that the parts of a step add
/// up.
#pragma once
#include <map>
#include <vector>

#include "training/metrics/measurement.hpp"
#include "training/roles/observer.hpp"

namespace paceline {

/// How a point's updates are counted.
struct Counting {
  int workers = 1;
  std::int64_t warmup_updates = 0;
  std::int64_t updates = 1;  ///< in all, warm-up included
  double items_per_gradient = 1;
  int gradients_per_update = 1;
  bool replicas = false;     ///< an update is made when the last worker has applied it
  bool independent = false;  ///< every worker makes updates of its own
  bool keep_steps = false;
  bool keep_gradients = false;
};

class Recorder final : public Observer {
 public:
  explicit Recorder(const Counting& counting);

  void begun(RoleId worker, std::int64_t step, Instant at) override;
  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  void gradient_computed(WorkId work, Instant at) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;

  /// Once the run is over.
  Measurement result() const;
  /// Seconds between updates in the window.
  const std::vector<double>& iterations() const { return iterations_; }
  /// What was accepted and cancelled, in order; empty unless kept.
  const std::vector<GradientEvent>& gradients() const { return gradients_; }

 private:
  struct Span {
    RoleId worker;
    std::int64_t step;
    Activity activity;
    Instant begin, end;
  };
  bool inside(Instant at) const { return started_ && at >= start_ && !(ended_ && at > end_); }
  void model_updated(std::int64_t version, Instant at);
  double clipped(Instant begin, Instant end) const;
  double& sum_of(Activity activity);

  Counting counting_;
  bool started_ = false, ended_ = false;
  Instant start_, end_;
  Instant last_update_;
  std::int64_t updates_in_window_ = 0;
  std::int64_t begun_in_window_ = 0;
  double compute_ = 0, delay_ = 0, wait_ = 0, input_ = 0, wasted_ = 0;
  std::vector<double> iterations_;
  std::vector<std::int64_t> staleness_;  ///< histogram
  std::vector<double> spent_;            ///< by worker: on the mini-batch under way
  std::vector<std::int64_t> spent_on_;   ///< by worker: which
  std::vector<Instant> worker_updated_;  ///< independent: its last update
  std::map<std::int64_t, int> applied_;  ///< replicas: by version, who has applied it
  std::map<std::int64_t, std::vector<std::pair<RoleId, Instant>>> ready_;  ///< by step
  std::map<std::pair<RoleId, std::int64_t>, StepRow> open_steps_;
  std::vector<GradientEvent> gradients_;
};

}  // namespace paceline
