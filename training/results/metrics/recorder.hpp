// SPDX-License-Identifier: MIT
/// \file
/// Turns the events of a run into the figures of results.csv. Every figure is of the window from
/// the last warm-up update to the last update (measured_window.hpp), and of the mini-batches in it
/// (mini_batch_count.hpp). Independent workers share one window too: from the end of the first
/// worker's warm-up to the end of the first worker's run, so that all workers are busy in it.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "training/results/metrics/collective_times.hpp"
#include "training/results/metrics/measured_window.hpp"
#include "training/results/metrics/measurement.hpp"
#include "training/results/metrics/mini_batch_count.hpp"
#include "training/results/metrics/position_count.hpp"
#include "training/results/metrics/replica_waits.hpp"
#include "training/results/metrics/step_rows.hpp"
#include "training/results/metrics/time_sum.hpp"
#include "training/results/metrics/wasted_time.hpp"
#include "training/runtime/observer.hpp"

namespace paceline {

/// The rules by which a point's updates are counted.
struct Counting {
  int workers = 1;
  std::int64_t warmup_gradients = 0;
  std::int64_t gradients = 1;                   ///< of the whole run, warm-up included
  double items_per_gradient = 1;                ///< with `lengths` on average
  std::shared_ptr<const BatchLengths> lengths;  ///< null: mini-batches are of one size
  std::uint64_t data_seed = 1;                  ///< of the repeat; read with `lengths`
  int gradients_per_update = 1;                 ///< mini-batches, where K does not change
  int steps_per_gradient = 1;        ///< mini-batches that one gradient (or average) stands for
  bool changing = false;             ///< K changes from update to update
  std::optional<double> loss_bound;  ///< a mini-batch's loss above it ends the run
  bool replicas = false;             ///< a version is made when the last worker has applied it
  /// Every worker makes updates of its own; the first to make an update makes the version. Implies
  /// `replicas`.
  bool independent = false;
  bool served = false;     ///< there are servers, which report workers' waits outside groups
  bool in_groups = false;  ///< workers sum in groups, and servers do not know their waits
  /// Workers begin mini-batches at their own times, not after each update of the model.
  bool own_pace = false;
  /// Every update takes the gradients of all mini-batches that were begun for it.
  bool takes_all = false;
  /// Every gradient is applied sooner or later: no worker dies, and no mini-batch is cancelled.
  bool applies_all = false;
  /// Mini-batches may be cancelled while training goes on, or lost with a worker that dies.
  bool wastes = false;
  /// No span is reported before an update that it ends after: on simulated clocks.
  bool in_order = false;
  /// Of a collective alone, bus bandwidth / throughput: barriers between collectives do not count.
  std::optional<double> bus_factor;
  bool validates = false;    ///< workers make validation passes
  bool checkpoints = false;  ///< checkpoints are written
  bool keep_steps = false;
  bool keep_gradients = false;
  bool keep_versions = false;  ///< keeps the time of each version of the model

  MiniBatchCount::Pace pace() const {
    using Pace = MiniBatchCount::Pace;
    return independent ? Pace::independent : own_pace ? Pace::own : Pace::common;
  }
  /// Whether the mini-batches of a version are known from its number.
  bool by_version() const { return (replicas || takes_all) && !independent; }
  /// Whether every gradient that is computed is applied, at its own worker's pace.
  bool applies_at_own_pace() const { return independent || (own_pace && applies_all); }
  /// True if workers wait for each other and no server reports these waits.
  bool equals_wait() const {
    return in_groups || (replicas && !served && !independent && workers >= 2);
  }
};

/// Thrown to end a run if its loss is not a number or exceeds its bound.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Recorder final : public Observer {
 public:
  explicit Recorder(const Counting& counting);

  void begun(RoleId worker, std::int64_t step, Instant at) override;
  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  /// Throws Diverged.
  void gradient_computed(WorkId work, Instant at, double loss) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;
  void died(RoleId worker, Instant at) override;
  void stands_for(int workers) override { weight_ = workers; }
  bool takes_equal_workers() const override { return !counting_.keep_steps; }
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override;

  /// The figures of the run, once it is over or has diverged.
  Measurement result() const;
  const Samples& samples() const { return samples_; }
  /// The time of a version of the model, and the items of the gradients in it.
  struct Reached {
    Instant at;
    double items = 0;
  };
  /// Empty if the model never reached `version`.
  std::optional<Reached> reached(std::int64_t version) const;
  /// The times at which the window began and ended; empty if it has not yet.
  std::optional<Instant> window_begin() const {
    return window_.opened() ? std::optional(window_.begin()) : std::nullopt;
  }
  std::optional<Instant> window_end() const {
    return window_.closed() ? std::optional(window_.end()) : std::nullopt;
  }
  const Counting& counting() const { return counting_; }
  /// True if the next update may open or close the window: spans reported before that update may
  /// end after it.
  bool border_is_next() const { return border_is_next_; }
  /// The last version that the model reached.
  std::int64_t last_version() const { return last_version_; }
  /// The gradients that were accepted and cancelled, in order; empty unless kept.
  const std::vector<GradientEvent>& gradients() const { return events_; }

 private:
  struct ReportedSpan {
    WorkId work;
    Activity activity = Activity::compute;
    Instant begin, end;
    int workers = 1;
  };
  /// A worker's last death.
  struct Death {
    Instant begin{-1}, end{-1};  ///< begin -1: it has never died; end -1: it has not restarted
  };
  template <class T>
  T& of_worker(std::vector<T>& all, RoleId worker) {
    all.resize(static_cast<std::size_t>(counting_.workers));
    return all[static_cast<std::size_t>(worker)];
  }
  Instant last_alive(WorkId work, Instant begin, Instant end) const;
  void add(WorkId work, Activity activity, std::int64_t length_ps, int workers);
  void add_span(WorkId work, Activity activity, Instant begin, Instant end, int workers);
  double seconds_of(Activity activity) const {
    return times_[static_cast<std::size_t>(activity)].seconds();
  }
  void end_own_update(RoleId worker, std::int64_t version, Instant at);
  bool completes_version(RoleId role, std::int64_t version);
  bool applied_by_all(std::int64_t version);
  void count_positions(RoleId worker, std::int64_t last_step);
  void model_updated(std::int64_t version, Instant at);
  int gradients_of_next_version();
  void note_reached(std::int64_t gradients, Instant at);
  void open_window(Instant at);
  void close_window(Instant at);
  void expect_next_update();
  void mark_accepted(RoleId worker, std::int64_t last_step);
  double mini_batches() const;
  double measured_seconds() const;
  double wait_with_the_dead() const;
  double seconds_of_nothing(double all) const;
  void report_rates(Measurement& result, double applied) const;
  void report_staleness(Measurement& result) const;

  Counting counting_;
  int weight_ = 1;  ///< the workers that the events are of
  MeasuredWindow window_;
  MiniBatchCount begun_;
  /// The next update may open or close the window. Until it comes, the spans since the last update
  /// are kept, unless they come in order: on real clocks a span that ends after an update may be
  /// reported before it.
  bool border_is_next_ = false;
  std::vector<ReportedSpan> spans_since_update_;
  Instant last_update_;  ///< of the model
  std::int64_t last_version_ = 0;
  std::int64_t gradients_ = 0;  ///< mini-batches applied to the model
  std::int64_t gradients_in_window_ = 0;
  std::int64_t updates_in_window_ = 0;
  std::int64_t deaths_ = 0;
  std::array<TimeSum, kActivities> times_;  ///< in the window, by activity
  WastedTime wasted_;                       ///< in the window
  Samples samples_;
  std::vector<double> server_busy_;      ///< by shard: seconds of arithmetic in the window
  std::deque<int> accepted_;             ///< by version not yet made: gradients accepted for it
  std::int64_t first_open_version_ = 1;  ///< the version of accepted_.front()
  std::vector<Reached> reached_;         ///< by version, less one
  std::vector<std::int64_t> staleness_;  ///< histogram of gradients by staleness
  // by worker; empty until they are needed
  std::vector<Death> deaths_of_;
  std::vector<Instant> own_update_;       ///< independent: its last update
  std::map<std::int64_t, int> appliers_;  ///< replicas: by version, workers that have applied it
  PositionCount positions_;               ///< of sequences of unequal length
  ReplicaWaits replica_waits_;
  CollectiveTimes collectives_;
  double collective_seconds_ = 0;  ///< in the window
  StepRows steps_;
  std::vector<GradientEvent> events_;
};

}  // namespace paceline
