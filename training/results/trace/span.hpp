// SPDX-License-Identifier: MIT
/// \file
/// A run as spans of time, in plain data: the work of each stream of each role, the waits of
/// workers, and the gradients of each update. Both clocks fill it with the same spans; the writers
/// of traces and the analyses of steps read it.
#pragma once
#include <cstdint>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

enum class SpanKind : std::uint8_t {
  compute,     ///< layers of a mini-batch, as one operation
  part,        ///< some layers of a compute, where the clock reports them
  delay,       ///< of a straggler
  copy,        ///< from one role to another
  sum,         ///< a gradient is added to others
  encoding,    ///< a gradient is written in fewer bytes
  update,      ///< new weights, or an average of weights
  collective,  ///< the machine's own all-reduce
  wait,        ///< a worker waits for other workers
  input,       ///< a worker waits for items
  read,        ///< a loader reads records
  checkpoint,  ///< a worker waits for its checkpoint
  write,       ///< a checkpoint is written to storage
  prepare,     ///< a loader makes items of records, or a mini-batch of items
};

/// Whether a worker waits in such a span, for others, for items or for its checkpoint.
constexpr bool is_wait(SpanKind kind) {
  return kind == SpanKind::wait || kind == SpanKind::input || kind == SpanKind::checkpoint;
}

struct Span {
  SpanKind kind = SpanKind::compute;
  Stream stream;             ///< of wait, input and checkpoint: the worker's compute stream
  WorkId work;               ///< the mini-batch, where there is one
  LayerRange layers;         ///< of compute and part
  RoleId from = -1;          ///< copy: source; sum: worker of the gradient, where known
  RoleId to = -1;            ///< copy: destination
  double bytes = 0;          ///< of copy, sum, update and collective
  std::int64_t version = 0;  ///< update: the version that it makes; 0: it makes none
  Instant begin, end;
};

/// A gradient that went into an update.
struct TakenGradient {
  RoleId worker = 0;
  std::int64_t step = 0;
  std::int64_t computed = 0;  ///< version of its weights
  std::int64_t version = 0;   ///< made by the update
};

/// An event without duration.
struct Moment {
  enum class Kind : std::uint8_t { version, cancelled, died };
  Kind kind = Kind::version;
  RoleId worker = -1;      ///< cancelled, died
  std::int64_t count = 0;  ///< version: its number; cancelled: the step
  Instant at;
};

/// The spans from `begin`, where the first update of the window may start, to `end`. Spans that
/// reach into this time are kept whole.
struct Trace {
  int workers = 0;
  std::vector<Span> spans;  ///< in the order of the reports, mostly that of their ends
  std::vector<TakenGradient> taken;
  std::vector<Moment> moments;
  Instant begin, end;
  bool cut = false;  ///< it ends before the window does, because there were too many spans
};

}  // namespace paceline
