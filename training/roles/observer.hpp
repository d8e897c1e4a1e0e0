// SPDX-License-Identifier: MIT
/// \file
/// What a run tells of itself while it goes on: spans of a worker's time, updates, gradients
/// accepted and cancelled. The metrics and the trace are observers; both clocks report the same
/// things.
#pragma once
#include "training/roles/command.hpp"

namespace paceline {

/// How a worker spent a span of time.
enum class Activity : std::uint8_t { compute, delay, wait };

class Observer {
 public:
  virtual ~Observer() = default;
  /// A mini-batch begins.
  virtual void begun(RoleId worker, std::int64_t step, Instant at) = 0;
  /// A worker's stream was busy, or the worker waited for others, from `begin` to `end`.
  virtual void span(WorkId work, Activity activity, Instant begin, Instant end) = 0;
  /// The last backward layer of a mini-batch is done; its mean loss, NaN where nothing is trained.
  virtual void gradient_computed(WorkId work, Instant at, double loss) = 0;
  /// A gradient computed at `computed` was taken up into the update that makes `applied` + 1.
  virtual void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                        std::int64_t applied) = 0;
  /// A mini-batch was begun for nothing.
  virtual void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) = 0;
  /// `role` has applied the update that makes `version`.
  virtual void updated(RoleId role, std::int64_t version, Instant at) = 0;
  /// A worker died.
  virtual void died(RoleId /*worker*/, Instant /*at*/) {}
  /// What a trace shows: everything that ran on a stream, what `span` has told of included.
  virtual void operation(Stream, const Command&, Instant /*begin*/, Instant /*end*/) {}
  /// Whether `part` is wanted: a clock that knows of parts tells of them only then.
  virtual bool wants_parts() const { return false; }
  /// Some layers of a compute, told before its `operation`; in the order in which they ran.
  virtual void part(WorkId, LayerRange, Instant /*begin*/, Instant /*end*/) {}
};

}  // namespace paceline
