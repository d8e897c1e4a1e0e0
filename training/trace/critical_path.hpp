// SPDX-License-Identifier: MIT
/// \file
/// What the time of a run's updates consists of: the chain of spans, each released by the one
/// before it, that ends with the last update of a window.
#pragma once
#include <optional>
#include <vector>

#include "training/trace/span.hpp"

namespace paceline {

/// Updates of the model one after another.
struct UpdateWindow {
  std::int64_t version = 0;  ///< that the last of them made
  std::int64_t updates = 0;  ///< how many
  Instant begin, end;
};

/// All updates of the trace, from its begin to its last version; nothing where none took time. A
/// single update can mislead: without jitter, asynchronous gradients arrive as a burst, and most
/// gaps between two updates are the server's alone.
std::optional<UpdateWindow> all_updates(const Trace& trace);

/// A piece of the path: some of a span, or the time until what follows it began.
struct PathPiece {
  const Span* span = nullptr;  ///< null: a message, a decision, a latency
  Instant begin, end;
};

/// The path that ends with the window's last update, in order of time; its pieces fill the window.
/// Of all that a span may have waited for (its stream, what came to its role, what its role
/// computed) it is taken to have waited for what ended last. `trace` must outlive the result.
std::vector<PathPiece> critical_path(const Trace& trace, const UpdateWindow& window);

}  // namespace paceline
