// SPDX-License-Identifier: MIT
/// \file
/// A run as spans of time, plain data: what each stream of each role did, who waited, which
/// gradients went into which update. Both clocks fill it with the same spans; what writes traces
/// and what explains a step read it.
#pragma once
#include <cstdint>
#include <vector>

#include "training/roles/command.hpp"

namespace paceline {

enum class SpanKind : std::uint8_t {
  compute,     ///< layers of a mini-batch, as one operation
  part,        ///< some layers of a compute, where the clock knows of them
  delay,       ///< of a straggler
  copy,        ///< from one role to another
  sum,         ///< a gradient is added to others
  update,      ///< new weights, or an average of weights
  collective,  ///< the machine's own all-reduce
  wait,        ///< a worker stands still for other workers
};

struct Span {
  SpanKind kind = SpanKind::compute;
  Stream stream;             ///< of a wait: the worker's compute stream
  WorkId work;               ///< the mini-batch, where there is one
  LayerRange layers;         ///< of compute and part
  RoleId from = -1;          ///< copy: whose bytes; sum: whose gradient, where that is known
  RoleId to = -1;            ///< copy: who gets them
  double bytes = 0;          ///< of copy, sum, update and collective
  std::int64_t version = 0;  ///< update: that it makes; 0: none of the model's
  Instant begin, end;
};

/// A gradient that went into an update.
struct TakenGradient {
  RoleId worker = 0;
  std::int64_t step = 0;
  std::int64_t computed = 0;  ///< version of its weights
  std::int64_t version = 0;   ///< that the update makes
};

/// Something that takes no time.
struct Moment {
  enum class Kind : std::uint8_t { version, cancelled, died };
  Kind kind = Kind::version;
  RoleId worker = -1;      ///< cancelled, died
  std::int64_t count = 0;  ///< version: its number; cancelled: the step
  Instant at;
};

/// What happened from `begin`, where the first update of the window may start, to `end`. Spans that
/// only reach into this time are there whole.
struct Trace {
  int workers = 0;
  std::vector<Span> spans;  ///< in the order in which they ended, as far as they were told
  std::vector<TakenGradient> taken;
  std::vector<Moment> moments;
  Instant begin, end;
  bool cut = false;  ///< it ends before the window does: there were too many spans
};

}  // namespace paceline
