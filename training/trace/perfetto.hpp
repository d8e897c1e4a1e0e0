// SPDX-License-Identifier: MIT
/// \file
/// A trace as events of Chrome's trace format, which Perfetto and chrome://tracing open: a track
/// for each stream of each role, spans with their layers inside, the load of each link as a
/// counter, and an arrow from each gradient's push to the update that took it up.
#pragma once
#include <string>

#include "training/setting.hpp"
#include "training/trace/span.hpp"

namespace paceline {

/// One event a line, each without its first members, which say whose it is: `perfetto_events_of`
/// puts them in front. Times are in microseconds from the trace's begin, to the nanosecond.
std::string perfetto_events(const Trace& trace, const Setting& setting);

/// One source of one point: a process in the trace.
struct TraceProcess {
  int id = 0;            ///< from 1, in the order in which they are shown
  std::string name;      ///< "workers=4: predicted"
  std::string category;  ///< of all its events; arrows join events of one category
  std::string details;   ///< members of a JSON object: what else a reader may want to know of it
};

/// The events that name a process, one a line, with a comma after each.
std::string perfetto_process(const TraceProcess& process);
/// Whole events of a process: `lines` as perfetto_events gives them, with a comma after each.
std::string perfetto_events_of(const TraceProcess& process, const std::string& lines);

/// A JSON string with its quotes.
std::string json_string(const std::string& text);

}  // namespace paceline
