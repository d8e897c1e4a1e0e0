// SPDX-License-Identifier: MIT
/// \file
/// Explains the time of a run's updates by its critical path: the chain of spans, each released by
/// the previous one, that ends with the last update of a window.
#pragma once
#include <optional>
#include <vector>

#include "training/results/trace/span.hpp"

namespace paceline {

/// A sequence of consecutive updates of the model.
struct UpdateWindow {
  std::int64_t version = 0;  ///< made by the last update
  std::int64_t updates = 0;  ///< number of updates
  Instant begin, end;
};

/// All updates of the trace, from its begin to its last version; empty if they took no time. The
/// path of a single update can mislead: without jitter, asynchronous gradients arrive in bursts,
/// and most gaps between two updates are spent on the server alone.
std::optional<UpdateWindow> all_updates(const Trace& trace);

/// A piece of the path: part of a span, or the gap before the next piece.
struct PathPiece {
  const Span* span = nullptr;  ///< null: a gap (a message, a decision, a latency)
  Instant begin, end;
};

/// The critical path that ends with the window's last update, in order of time; its pieces fill the
/// window. A span may depend on the earlier spans of its stream, the copies to its role and the
/// arithmetic of its role, a call of the collective library on those of every role; of these, the
/// path continues with the one that ended last. `trace` must outlive the result.
std::vector<PathPiece> critical_path(const Trace& trace, const UpdateWindow& window);

}  // namespace paceline
