// SPDX-License-Identifier: MIT
/// \file
/// The times in which a worker was idle and none of its own spans explains it, and their causes:
/// the communication that results.csv calls exposed.
#pragma once
#include <vector>

#include "training/results/trace/span.hpp"

namespace paceline {

/// A time in which a worker did not compute, was not delayed and did not wait for other workers.
struct Idle {
  enum class Cause : std::uint8_t {
    fetch,    ///< a copy to the worker was in flight
    push,     ///< a copy from the worker was in flight
    server,   ///< a server was computing
    others,   ///< a copy between others was in flight, or the machine's own all-reduce ran
    message,  ///< none of the above: latencies, messages and decisions
  };
  RoleId worker = 0;
  Cause cause = Cause::message;
  RoleId from = -1, to = -1;  ///< of the copy: fetch, push
  Instant begin, end;
};

/// The name of a cause in traces and tables: "receiving".
const char* name_of(Idle::Cause cause);

/// The idle times of all workers within the trace's window, ordered by worker and time. Where
/// causes overlap, the first in the list above counts. With a worker's spans they fill the window.
std::vector<Idle> idle_times(const Trace& trace);

}  // namespace paceline
