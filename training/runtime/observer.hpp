// SPDX-License-Identifier: MIT
/// \file
/// The events that a run reports: spans of a worker's time, updates, gradients accepted and
/// cancelled. The metrics and the trace are observers; both clocks report the same events. An
/// observer overrides the functions of the events that it needs.
#pragma once
#include "training/runtime/command.hpp"

namespace paceline {

/// How a worker spent a span of time.
enum class Activity : std::uint8_t { compute, delay, wait, input, validation, checkpoint };
inline constexpr int kActivities = 6;

class Observer {
 public:
  virtual ~Observer() = default;
  /// The events from here on are of `workers` equal workers, of which the one that they name is
  /// the first. Not with `operation` and `part`.
  virtual void stands_for(int /*workers*/) {}
  /// Whether one of equal workers may stand for all of them.
  virtual bool takes_equal_workers() const { return false; }
  /// A mini-batch begins.
  virtual void begun(RoleId /*worker*/, std::int64_t /*step*/, Instant /*at*/) {}
  /// A worker's stream was busy, or the worker waited for others or for input, from `begin` to
  /// `end`.
  virtual void span(WorkId, Activity, Instant /*begin*/, Instant /*end*/) {}
  /// The last backward layer of a mini-batch is done; its mean loss, NaN where nothing is trained.
  virtual void gradient_computed(WorkId, Instant /*at*/, double /*loss*/) {}
  /// A gradient computed at `computed` was taken up into the update that makes `applied` + 1.
  virtual void accepted(RoleId /*worker*/, std::int64_t /*step*/, std::int64_t /*computed*/,
                        std::int64_t /*applied*/) {}
  /// A mini-batch was begun for nothing.
  virtual void cancelled(RoleId /*worker*/, std::int64_t /*step*/, std::int64_t /*version*/,
                         Instant /*at*/) {}
  /// `role` has applied the update that makes `version`.
  virtual void updated(RoleId /*role*/, std::int64_t /*version*/, Instant /*at*/) {}
  /// A worker died.
  virtual void died(RoleId /*worker*/, Instant /*at*/) {}
  /// Any operation that ran on a stream, also where `span` has reported it: the content of a trace.
  /// Operations of workers may be left out where `observes_steps` is false.
  virtual void operation(Stream, const Command&, Instant /*begin*/, Instant /*end*/) {}
  /// Whether `part` is observed: a clock that knows of parts reports them only then.
  virtual bool observes_parts() const { return false; }
  /// Whether `operation` must report all operations, those of the steps of collectives included,
  /// and every event in the order of time: a clock that works rounds out ahead does not.
  virtual bool observes_steps() const { return false; }
  /// Some layers of a compute, reported before its `operation`; in the order in which they ran.
  virtual void part(WorkId, LayerRange, Instant /*begin*/, Instant /*end*/) {}
};

}  // namespace paceline
