// SPDX-License-Identifier: MIT
#include "cli/explain_spans.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "cli/shown_quantity.hpp"
#include "cli/text_table.hpp"
#include "experiments/counted.hpp"
#include "training/trace/critical_path.hpp"
#include "training/trace/idle.hpp"
#include "training/trace/span_name.hpp"
#include "training/trace/ways.hpp"

namespace paceline {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// More rows than fit on a screen are summed up.
constexpr std::size_t kMostRows = 24;
constexpr int kMostServers = 8;
constexpr std::size_t kLayersNamed = 3;

std::string percent(double part, double whole) {
  return whole > 0 ? significant(100 * part / whole, 3) + " %" : "";
}

double seconds_within(const Trace& trace, Instant begin, Instant end) {
  const Instant from = std::max(begin, trace.begin);
  const Instant to = std::min(end, trace.end);
  return to > from ? (to - from).value() : 0;
}

/// A row of a path or of what comes together in one.
struct Row {
  std::string what, over;
  double seconds = 0;
  int times = 0;
};

/// The layers that took longest of a piece of a compute: "conv3 31 %, conv1 30 %".
std::string longest_layers(const Trace& trace, const PathPiece& piece, const SpanNames& names) {
  std::vector<std::pair<double, std::string>> layers;
  for (const Span& span : trace.spans) {
    const bool inside = span.kind == SpanKind::part &&
                        span.stream.role == piece.span->stream.role && span.begin >= piece.begin &&
                        span.end <= piece.end;
    if (inside) layers.emplace_back((span.end - span.begin).value(), names.of(span));
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(layers.size(), kLayersNamed); ++i) {
    text += (i == 0 ? "" : ", ") + layers[i].second + " " +
            percent(layers[i].first, (piece.end - piece.begin).value());
  }
  return text;
}

Row row_of(const Trace& trace, const PathPiece& piece, const SpanNames& names, Ways& ways,
           bool whose) {
  Row row;
  row.seconds = (piece.end - piece.begin).value();
  row.times = 1;
  if (piece.span == nullptr) {
    row.what = "message, decision or latency";
    return row;
  }
  const Span& span = *piece.span;
  row.what = whose ? names.of(span.stream.role) + ": " + names.of(span) : names.of(span);
  if (span.kind == SpanKind::copy) {
    const Ways::Way& way = ways.between(span.from, span.to);
    if (!way.links.empty()) row.over = ways.names()[way.slowest];
  } else if (span.kind == SpanKind::compute && whose) {
    row.over = longest_layers(trace, piece, names);
  }
  return row;
}

void add(std::vector<Row>& rows, const Row& row, bool anywhere) {
  const auto same = [&](const Row& other) {
    return other.what == row.what && other.over == row.over;
  };
  const auto from = anywhere || rows.empty() ? rows.begin() : rows.end() - 1;
  const auto known = std::find_if(from, rows.end(), same);
  if (known == rows.end()) return rows.push_back(row);
  known->seconds += row.seconds;
  ++known->times;
}

}  // namespace

std::string busy_table(const Trace& trace, const Setting& setting) {
  static constexpr const char* kNames[kStreamKinds] = {"compute", "push", "fetch", "input"};
  const SpanNames names(setting, trace.workers);
  std::map<std::pair<RoleId, StreamKind>, double> busy;  // -1: all workers
  for (const Span& span : trace.spans) {
    const bool idle = span.kind == SpanKind::wait ||
                      span.kind == SpanKind::delay || span.kind == SpanKind::part;
    if (idle) continue;
    const RoleId role = span.stream.role < trace.workers ? -1 : span.stream.role;
    busy[{role, span.stream.kind}] += seconds_within(trace, span.begin, span.end);
  }
  const double window = (trace.end - trace.begin).value();
  Rows rows;
  std::set<RoleId> left_out;
  for (const auto& [stream, seconds] : busy) {
    if (stream.first >= trace.workers + kMostServers) {
      left_out.insert(stream.first);
      continue;
    }
    const bool workers = stream.first < 0;
    rows.push_back({(workers ? "a worker" : names.of(stream.first)) + std::string(", ") +
                        kNames[static_cast<std::size_t>(stream.second)],
                    percent(seconds, workers ? window * trace.workers : window)});
  }
  std::string out = text_table({{"stream"}, {"busy", true}}, rows);
  if (!left_out.empty()) {
    out += "and " + counted(left_out.size(), "more server") + "\n";
  }
  return out;
}

std::string exposed_table(const Trace& trace, const Setting& setting,
                          const Measurement& predicted) {
  Ways ways(setting);
  std::vector<Row> sums;
  double whole = 0;
  for (const Idle& idle : idle_times(trace)) {
    Row row;
    row.what = name_of(idle.cause);
    row.seconds = (idle.end - idle.begin).value();
    whole += row.seconds;
    if (idle.from >= 0) {
      const Ways::Way& way = ways.between(idle.from, idle.to);
      if (!way.links.empty()) row.over = ways.names()[way.slowest];
    }
    add(sums, row, true);
  }
  if (sums.empty()) return "";
  std::stable_sort(sums.begin(), sums.end(),
                   [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
  const double all = trace.workers * (trace.end - trace.begin).value();
  const double a_step = predicted.step_mean.value_or(0) / all;  // of a mini-batch, per second
  Rows rows;
  for (const Row& row : sums) {
    if (rows.size() == kMostRows) break;
    rows.push_back(
        {row.what, row.over, shown(Seconds{row.seconds * a_step}), percent(row.seconds, whole)});
  }
  std::string out = text_table(
      {{"communication that workers wait for"}, {"slowest link"}, {"time", true}, {"share", true}},
      rows);
  if (rows.size() < sums.size()) {
    out += "and " + std::to_string(sums.size() - rows.size()) + " more\n";
  }
  return out;
}

std::string path_table(const Trace& trace, const Setting& setting) {
  const std::optional<UpdateTime> update = median_update(trace);
  if (!update) {
    return trace.cut ? "no critical path: one update has more spans than are kept\n"
                     : "no critical path: updates take no time\n";
  }
  const SpanNames names(setting, trace.workers);
  Ways ways(setting);
  const std::vector<PathPiece> path = critical_path(trace, *update);
  std::vector<Row> rows;
  for (const PathPiece& piece : path) add(rows, row_of(trace, piece, names, ways, true), false);
  const bool summed = rows.size() > kMostRows;
  if (summed) {
    rows.clear();
    for (const PathPiece& piece : path) add(rows, row_of(trace, piece, names, ways, false), true);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
    if (rows.size() > kMostRows) rows.resize(kMostRows);
  }
  const double whole = (update->end - update->begin).value();
  Rows cells;
  for (const Row& row : rows) {
    cells.push_back({row.what + (row.times > 1 ? " x " + std::to_string(row.times) : ""), row.over,
                     shown(Seconds{row.seconds}), percent(row.seconds, whole)});
  }
  return "the median update, number " + std::to_string(update->version) + ", took " +
         shown(update->end - update->begin) + (summed ? "; summed up:\n" : ":\n") +
         text_table(
             {{"critical path"}, {"slowest link, longest layers"}, {"time", true}, {"share", true}},
             cells);
}

}  // namespace paceline
