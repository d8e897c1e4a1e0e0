// SPDX-License-Identifier: MIT
/// \file
/// Turns what happens in a run into the figures of results.csv. The window runs from the last
/// warm-up update to the last update; every span is clipped to it, so that the parts of a step add
/// up. The mini-batches in it are those of its updates where all workers apply the same; those that
/// begin in it where an update lets all of them begin; and where workers have paces of their own,
/// each counts by its share in the window: updates then come in bursts, and a window that begins or
/// ends within one has the time of fewer or more mini-batches than its updates have gradients.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "training/metrics/measurement.hpp"
#include "training/metrics/replica_waits.hpp"
#include "training/roles/observer.hpp"

namespace paceline {

/// How a point's updates are counted.
struct Counting {
  int workers = 1;
  std::int64_t warmup_gradients = 0;
  std::int64_t gradients = 1;  ///< in all, warm-up included
  double items_per_gradient = 1;
  int gradients_per_update = 1;      ///< mini-batches, where K does not change
  int steps_per_gradient = 1;        ///< mini-batches that one gradient (or average) stands for
  bool changing = false;             ///< K changes from update to update
  std::optional<double> loss_bound;  ///< a mini-batch's loss above it is the end
  bool replicas = false;             ///< an update is made when the last worker has applied it
  bool independent = false;          ///< every worker makes updates of its own
  bool served = false;               ///< there are servers, which say who waited for whom
  /// Workers begin mini-batches at times of their own, not after each update of the model.
  bool own_pace = false;
  /// Every gradient is applied sooner or later: no worker dies, and no mini-batch is cancelled.
  bool applies_all = false;
  bool keep_steps = false;
  bool keep_gradients = false;
  bool keep_versions = false;  ///< when each version of the model was reached

  /// Whether workers wait for each other and nobody else says so.
  bool equals_wait() const { return replicas && !served && !independent && workers >= 2; }
};

/// Thrown out of a run whose loss is not a number or beyond its bound.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Recorder final : public Observer {
 public:
  explicit Recorder(const Counting& counting);

  void begun(RoleId worker, std::int64_t step, Instant at) override;
  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  void gradient_computed(WorkId work, Instant at, double loss) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;
  void died(RoleId worker, Instant at) override;
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override;

  /// Once the run is over, or has diverged.
  Measurement result() const;
  const Samples& samples() const { return samples_; }
  /// When the model reached a version, and the items it had taken by then; empty if it never did.
  struct Reached {
    Instant at;
    double items = 0;
  };
  std::optional<Reached> reached(std::int64_t version) const;
  /// When the window began and ended; empty where it has not yet.
  std::optional<Instant> window_begin() const {
    return started_ ? std::optional(start_) : std::nullopt;
  }
  std::optional<Instant> window_end() const { return ended_ ? std::optional(end_) : std::nullopt; }
  const Counting& counting() const { return counting_; }
  /// Whether the window begins or ends with the next update: spans told before it may end after it.
  bool border_is_next() const { return border_is_next_; }
  /// The last that the model reached.
  std::int64_t last_version() const { return last_version_; }
  /// What was accepted and cancelled, in order; empty unless kept.
  const std::vector<GradientEvent>& gradients() const { return events_; }

 private:
  bool inside(Instant at) const { return started_ && at >= start_ && !(ended_ && at > end_); }
  struct Told {
    WorkId work;
    Activity activity = Activity::compute;
    Instant begin, end;
  };
  /// A mini-batch of a worker, from its begin to that of the next.
  struct Lap {
    RoleId worker = 0;
    Instant begin, end;
  };
  /// What a worker's laps in the window add up to.
  struct Laps {
    double share = 0;    ///< each counts by its share in the window
    double seconds = 0;  ///< of the whole laps
    double count = 0;
    double last = -1;  ///< seconds of the last one, in the window or not; -1: there is none
  };
  /// When a worker was dead last.
  struct Death {
    Instant begin{-1}, end{-1};  ///< begin -1: it has never died; end -1: it is dead
  };
  double share_in_window(const Lap& lap) const;
  void count(const Lap& lap);
  double open_lap(std::size_t worker) const;
  double mini_batches() const;
  Instant last_alive(WorkId work, Instant begin, Instant end) const;
  void add(WorkId work, Activity activity, double seconds);
  void model_updated(std::int64_t version, Instant at);
  void begin_window(Instant at);
  void end_window(Instant at);
  void look_ahead();
  int gradients_of_next();
  void mark_accepted(RoleId worker, std::int64_t last_step);
  double clipped(Instant begin, Instant end) const;
  double& sum_of(Activity activity);

  Counting counting_;
  bool started_ = false, ended_ = false;
  Instant start_, end_;
  bool border_is_next_ = false;
  std::vector<Told> near_border_;  ///< since the last update before it
  Instant last_update_;
  std::int64_t last_version_ = 0;
  std::int64_t gradients_ = 0;  ///< in the model
  std::int64_t gradients_in_window_ = 0;
  std::int64_t updates_in_window_ = 0;
  std::int64_t deaths_ = 0;
  std::int64_t begun_in_window_ = 0;
  Instant last_begin_{-1};       ///< of any mini-batch
  std::int64_t begun_then_ = 0;  ///< mini-batches that began at that very instant
  std::vector<Laps> laps_;       ///< by worker, where they have paces of their own
  std::vector<Lap> laps_near_border_;
  double compute_ = 0, delay_ = 0, wait_ = 0, wasted_ = 0;
  Samples samples_;
  std::vector<double> server_busy_;      ///< by shard: seconds of arithmetic in the window
  std::vector<Instant> began_;           ///< by worker: its mini-batch under way
  std::deque<int> counts_;               ///< of versions under way: gradients accepted
  std::int64_t first_counted_ = 1;       ///< the version of counts_.front()
  std::vector<Reached> reached_;         ///< by version, less one
  std::vector<std::int64_t> staleness_;  ///< histogram
  std::vector<double> spent_;            ///< by worker: on the mini-batch under way
  std::vector<std::int64_t> spent_on_;   ///< by worker: which
  std::vector<std::int64_t> wasted_on_;  ///< by worker: the last that was cancelled
  std::vector<Death> deaths_of_;         ///< by worker
  std::vector<Instant> worker_updated_;  ///< independent: its last update
  std::map<std::int64_t, int> applied_;  ///< replicas: by version, who has applied it
  ReplicaWaits replica_waits_;
  std::map<std::pair<RoleId, std::int64_t>, StepRow> open_steps_;
  std::vector<GradientEvent> events_;
};

}  // namespace paceline
