// SPDX-License-Identifier: MIT
/// \file
/// What the time between two updates consists of: the chain of spans, each released by the one
/// before it, that ends with an update.
#pragma once
#include <optional>
#include <vector>

#include "training/trace/span.hpp"

namespace paceline {

/// An update of the model and the time since the one before it.
struct UpdateTime {
  std::int64_t version = 0;
  Instant begin, end;
};

/// The update whose time is the median of all in the trace (of an even number the shorter of the
/// two); nothing where there is none.
std::optional<UpdateTime> median_update(const Trace& trace);

/// A piece of the path: some of a span, or the time until what follows it began.
struct PathPiece {
  const Span* span = nullptr;  ///< null: a message, a decision, a latency
  Instant begin, end;
};

/// The path that ends with an update, in order of time; its pieces fill the update's time. Of all
/// that a span may have waited for (its stream, what came to its role, what its role computed) it
/// is taken to have waited for what ended last. `trace` must outlive the result.
std::vector<PathPiece> critical_path(const Trace& trace, const UpdateTime& update);

}  // namespace paceline
