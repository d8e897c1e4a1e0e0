// SPDX-License-Identifier: MIT
/// \file
/// What a worker stood still for when no span of its own says it: the communication that
/// results.csv calls exposed, and its causes.
#pragma once
#include <vector>

#include "training/trace/span.hpp"

namespace paceline {

/// A time in which a worker neither computed nor was delayed nor waited for other workers.
struct Idle {
  enum class Cause : std::uint8_t {
    fetch,    ///< bytes were on their way to it
    push,     ///< its own bytes were on their way
    server,   ///< a server was at its arithmetic
    others,   ///< bytes of others were on their way, or the machine's own all-reduce ran
    message,  ///< nothing of the above: latencies, messages and decisions
  };
  RoleId worker = 0;
  Cause cause = Cause::message;
  RoleId from = -1, to = -1;  ///< of the copy: fetch, push
  Instant begin, end;
};

/// The name of a cause in traces and tables: "receiving".
const char* name_of(Idle::Cause cause);

/// The idle times of all workers within the trace's window, by worker and in order of time; where
/// causes overlap, the first in the list above. With the spans of a worker they fill the window.
std::vector<Idle> idle_times(const Trace& trace);

}  // namespace paceline
