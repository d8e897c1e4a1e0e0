// SPDX-License-Identifier: MIT
#include "cli/explain_spans.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/link_classes.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/verdict.hpp"
#include "experiments/language/counted.hpp"
#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/critical_path.hpp"
#include "training/results/trace/idle.hpp"
#include "training/results/trace/span_name.hpp"

namespace paceline {
namespace {

using Cells = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostRows = 12;
constexpr int kMostServers = 8;
constexpr double kNone = 1e-6;  // fraction; less is rounding

double seconds_within(const Trace& trace, Instant begin, Instant end) {
  const Instant from = std::max(begin, trace.begin);
  const Instant to = std::min(end, trace.end);
  return to > from ? (to - from).value() : 0;
}

/// The total time of one activity and the links that it used.
struct Row {
  std::string what;
  std::string over;  ///< class of the links
  double seconds = 0;
  std::set<std::size_t> links;
};

class Rows {
 public:
  void add(const std::string& what, double seconds, const std::string& over = "",
           std::optional<std::size_t> link = {}) {
    const auto [at, fresh] = places_.try_emplace({what, over}, rows_.size());
    if (fresh) rows_.push_back({what, over, 0, {}});
    Row& row = rows_[at->second];
    row.seconds += seconds;
    if (link) row.links.insert(*link);
  }

  /// The rows in descending order of time. Rows below a millionth of `whole` are rounding errors
  /// and are dropped.
  std::vector<Row> sorted(double whole) const {
    std::vector<Row> rows = rows_;
    std::erase_if(rows, [&](const Row& row) { return row.seconds < kNone * whole; });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
    return rows;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Row> rows_;
};

/// The rows as a table; times are multiplied by `unit`.
std::string table_of(const std::vector<Row>& rows, const std::string& title, double unit,
                     double whole, const Setting& setting, const CopyLinks& copy_links,
                     TableStyle style, std::size_t width) {
  Cells cells;
  for (const Row& row : rows) {
    if (cells.size() == kMostRows) break;
    cells.push_back({row.what, name_of(*setting.machine, copy_links, row.links),
                     shown(Seconds{row.seconds * unit}), percent_of(row.seconds, whole)});
  }
  std::string out =
      text_table({{title}, {"slowest link"}, {"time", true}, {"share", true}}, cells, style, width);
  if (cells.size() < rows.size()) {
    out += "and " + std::to_string(rows.size() - cells.size()) + " more\n";
  }
  return out;
}

/// Adds a copy under the class of its slowest link, if it crosses any.
void add_copy(Rows& rows, const std::string& what, double seconds, RoleId from, RoleId to,
              const Setting& setting, CopyLinks& copy_links) {
  const CopyLinks::Crossed& way = copy_links.between(from, to);
  if (way.links.empty()) return rows.add(what, seconds);
  rows.add(what, seconds, class_of(*setting.machine, copy_links, way.slowest), way.slowest);
}

/// The pieces of critical paths, summed by activity over all workers and servers.
class PathSums {
 public:
  PathSums(const Trace& trace, const Setting& setting, CopyLinks& copy_links)
      : trace_(trace),
        setting_(setting),
        copy_links_(copy_links),
        parts_(static_cast<std::size_t>(trace.workers)) {
    for (const Span& span : trace.spans) {
      if (span.kind == SpanKind::part) {
        parts_[static_cast<std::size_t>(span.stream.role)].push_back(&span);
      }
    }
    for (auto& parts : parts_) {
      std::stable_sort(parts.begin(), parts.end(),
                       [](const Span* a, const Span* b) { return a->begin < b->begin; });
    }
  }

  void add(const PathPiece& piece) {
    const double seconds = (piece.end - piece.begin).value();
    if (piece.span == nullptr) return rows_.add("message, decision or latency", seconds);
    const Span& span = *piece.span;
    const auto kind = [&](RoleId role) { return role < trace_.workers ? "worker" : "server"; };
    switch (span.kind) {
      case SpanKind::compute:
        return add_layers(piece);
      case SpanKind::copy: {
        if (span.from >= setting_.plan.programs()) {
          return add_copy(rows_, "batch to worker", seconds, span.from, span.to, setting_,
                          copy_links_);
        }
        if (span.to >= setting_.plan.programs()) return rows_.add("checkpoint: copy", seconds);
        if (span.from == span.to) return rows_.add("slice of the data set", seconds);
        const bool fetch = span.stream.kind == StreamKind::fetch;
        return add_copy(
            rows_,
            std::string(fetch ? "fetch from " : "push to ") + kind(fetch ? span.from : span.to),
            seconds, span.from, span.to, setting_, copy_links_);
      }
      case SpanKind::sum:
        return rows_.add(std::string(kind(span.stream.role)) + ": sum", seconds);
      case SpanKind::encoding:
        return rows_.add(std::string(kind(span.stream.role)) + ": encoding", seconds);
      case SpanKind::update:
        return rows_.add(std::string(kind(span.stream.role)) + ": update", seconds);
      case SpanKind::delay:
        return rows_.add("straggler delay", seconds);
      case SpanKind::collective:
        return rows_.add("all-reduce", seconds);
      case SpanKind::read:
        return rows_.add("loader: read", seconds);
      case SpanKind::write:
        return rows_.add("checkpoint: write", seconds);
      default:
        return rows_.add("loader: decode", seconds);
    }
  }

  const Rows& rows() const { return rows_; }

 private:
  /// Divides a computation among the kinds of its layers if the trace has them.
  void add_layers(const PathPiece& piece) {
    const Span& span = *piece.span;
    const std::string pass = name_of(span.layers.pass);
    const auto& parts = parts_[static_cast<std::size_t>(span.stream.role)];
    auto at = std::lower_bound(parts.begin(), parts.end(), span.begin,
                               [](const Span* part, Instant begin) { return part->begin < begin; });
    double rest = (piece.end - piece.begin).value();
    for (; at != parts.end() && (*at)->begin < piece.end; ++at) {
      const Instant from = std::max((*at)->begin, piece.begin);
      const Instant to = std::min((*at)->end, piece.end);
      const LayerRange& layers = (*at)->layers;
      if (to <= from || layers.pass != span.layers.pass) continue;
      rest -= (to - from).value();
      rows_.add(pass + " " + kinds_of(layers), (to - from).value());
    }
    if (rest > 0) rows_.add(pass, rest);
  }

  std::string kinds_of(const LayerRange& range) const {
    const auto& layers = setting_.point->network->layers;
    const Layer& first = layers[static_cast<std::size_t>(range.first)];
    const LayerKind kind = first.kind;
    for (std::int32_t i = range.first + 1; i < range.last; ++i) {
      if (layers[static_cast<std::size_t>(i)].kind != kind) return "";
    }
    const bool sequence = first.in.width == 1 && first.kernel_height == 1;
    if (kind == LayerKind::convolution && sequence) return "linear";
    for (const auto& row : enum_rows<LayerKind>()) {
      if (row.value == kind) return row.name;
    }
    return "";
  }

  const Trace& trace_;
  const Setting& setting_;
  CopyLinks& copy_links_;
  std::vector<std::vector<const Span*>> parts_;  ///< by worker, in temporal order
  Rows rows_;
};

}  // namespace

std::string busy_table(const Trace& trace, const Setting& setting, TableStyle style) {
  static constexpr const char* kNames[kStreamKinds] = {"compute", "push", "fetch", "input"};
  const SpanNames names = names_of(setting);
  const Plan& plan = setting.plan;
  constexpr RoleId kWorkers = -1, kLoaders = std::numeric_limits<RoleId>::max();  // all of them
  std::map<std::pair<RoleId, StreamKind>, std::vector<std::pair<Instant, Instant>>> streams;
  for (const Span& span : trace.spans) {
    const bool idle =
        is_wait(span.kind) || span.kind == SpanKind::delay || span.kind == SpanKind::part;
    if (!idle) streams[{span.stream.role, span.stream.kind}].emplace_back(span.begin, span.end);
  }
  std::map<std::pair<RoleId, StreamKind>, double> busy;
  for (auto& [stream, spans] : streams) {
    const RoleId role = stream.first < trace.workers   ? kWorkers
                        : plan.is_loader(stream.first) ? kLoaders
                                                       : stream.first;
    std::ranges::sort(spans);
    Instant until;  // copies of a stream may run side by side
    for (const auto& [begin, end] : spans) {
      if (end <= until) continue;
      busy[{role, stream.second}] += seconds_within(trace, std::max(begin, until), end);
      until = end;
    }
  }
  const double window = (trace.end - trace.begin).value();
  Cells rows;
  std::set<RoleId> left_out;
  for (const auto& [stream, seconds] : busy) {
    const bool workers = stream.first == kWorkers, loaders = stream.first == kLoaders;
    const bool writer = plan.checkpoint && stream.first >= plan.first_writer();
    if (!loaders && !writer && stream.first >= trace.workers + kMostServers) {
      left_out.insert(stream.first);
      continue;
    }
    const int several = workers   ? trace.workers
                        : loaders ? plan.loader_sets() * plan.input.loaders
                                  : 1;
    // loaders copy in one stream of each set
    const bool copies = loaders && stream.second != StreamKind::compute;
    const std::string name = workers ? "a worker" : loaders ? "a loader" : names.of(stream.first);
    rows.push_back({name + ", " + kNames[static_cast<std::size_t>(stream.second)],
                    percent_of(seconds, window * (copies ? plan.loader_sets() : several))});
  }
  std::string out = text_table({{"stream"}, {"busy", true}}, rows, style);
  if (!left_out.empty()) {
    out += "and " + counted(left_out.size(), "more server") + "\n";
  }
  return out;
}

std::string exposed_table(const Trace& trace, const Setting& setting, const Measurement& predicted,
                          TableStyle style, std::size_t width) {
  CopyLinks copy_links = copy_links_of(setting);
  Rows sums;
  double whole = 0;
  for (const Idle& idle : idle_times(trace)) {
    const double seconds = (idle.end - idle.begin).value();
    whole += seconds;
    if (idle.from >= 0) {
      add_copy(sums, name_of(idle.cause), seconds, idle.from, idle.to, setting, copy_links);
    } else {
      sums.add(name_of(idle.cause), seconds);
    }
  }
  const double all = trace.workers * (trace.end - trace.begin).value();
  if (whole <= kNone * all) return "";
  const double a_step = predicted.step_mean.value_or(0) / all;  // step time per unit of `all`
  return table_of(sums.sorted(all), "communication that workers wait for", a_step, whole, setting,
                  copy_links, style, width);
}

std::string path_table(const Trace& trace, const Setting& setting, TableStyle style,
                       std::size_t width) {
  const std::optional<UpdateWindow> window = all_updates(trace);
  if (!window) {
    return trace.cut ? "no critical path: one update has more spans than are kept\n"
                     : "no critical path: updates take no time\n";
  }
  CopyLinks copy_links = copy_links_of(setting);
  PathSums sums(trace, setting, copy_links);
  for (const PathPiece& piece : critical_path(trace, *window)) sums.add(piece);
  const double whole = (window->end - window->begin).value();
  const auto updates = static_cast<double>(window->updates);
  return "the critical path of " + counted(window->updates, "update") + ", " +
         shown(Seconds{whole / updates}) + " each:\n" +
         table_of(sums.rows().sorted(whole), "critical path, per update", 1 / updates, whole,
                  setting, copy_links, style, width);
}

}  // namespace paceline
