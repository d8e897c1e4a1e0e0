// SPDX-License-Identifier: MIT
/// \file
/// Keeps the spans of a run's window; the metrics only add them up.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "training/results/metrics/recorder.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

class SpanRecorder final : public Observer {
 public:
  /// A trace that a person can still read, and 20 MB of memory.
  static constexpr std::size_t kMostSpans = 200'000;

  /// Above `most` spans the trace ends at the last update so far. `parts`: includes the layers of
  /// each compute.
  explicit SpanRecorder(std::size_t most = kMostSpans, bool parts = true)
      : most_(most), parts_(parts) {}

  /// Starts recording a run with the window of `metrics`, which must receive every event first.
  void follow(const Recorder& metrics);
  /// Ends the recording.
  void finish();
  /// The trace of the last run that was finished.
  const Trace& trace() const { return trace_; }

  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  void gradient_computed(WorkId work, Instant at, double loss) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;
  void died(RoleId worker, Instant at) override;
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override;
  bool observes_parts() const override { return parts_; }
  bool observes_steps() const override { return true; }
  void part(WorkId work, LayerRange layers, Instant begin, Instant end) override;

 private:
  bool open() const { return metrics_ != nullptr && metrics_->window_begin(); }
  void keep(const Span& span);
  void wait(WorkId work, Instant begin, Instant end, SpanKind kind = SpanKind::wait);

  std::size_t most_;
  bool parts_;
  const Recorder* metrics_ = nullptr;
  std::optional<ReplicaWaits> replica_waits_;
  std::int64_t last_version_ = 0;
  Instant last_update_;
  bool opened_ = false;              ///< the window has begun
  std::vector<Instant> dead_since_;  ///< by worker; -1: it lives
  Trace trace_;
};

}  // namespace paceline
