// SPDX-License-Identifier: MIT
/// \file
/// A trace as events of Chrome's trace format, which Perfetto and chrome://tracing open: a track
/// for each stream of each role, spans that contain their layers, the load of each link and the
/// memory of the first worker as counters, and an arrow from each gradient's push to the update
/// that applied it.
#pragma once
#include <string>

#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/span.hpp"
#include "training/results/trace/span_name.hpp"
#include "training/results/trace/worker_memory.hpp"

namespace paceline {

/// One event per line, without the leading members that name its process: `perfetto_events_of` adds
/// them. Times are in microseconds since the trace's begin, to the nanosecond.
std::string perfetto_events(const Trace& trace, const SpanNames& names, CopyLinks copy_links,
                            const WorkerMemory& memory = {});

/// A process in the trace: one source of one point.
struct TraceProcess {
  int id = 0;            ///< from 1, in display order
  std::string name;      ///< "workers=4: predicted"
  std::string category;  ///< of all its events; arrows join events of one category
  std::string details;   ///< members of a JSON object: further information for the reader
};

/// The events that name a process, one a line, with a comma after each.
std::string perfetto_process(const TraceProcess& process);
/// Complete events of a process from the `lines` of perfetto_events, one per line, each with a
/// comma.
std::string perfetto_events_of(const TraceProcess& process, const std::string& lines);

}  // namespace paceline
