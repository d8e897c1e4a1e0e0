// SPDX-License-Identifier: MIT
#include "training/results/trace/perfetto.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "experiments/language/json.hpp"
#include "training/results/trace/gradient_arrows.hpp"
#include "training/results/trace/idle.hpp"
#include "training/results/trace/link_load.hpp"
#include "training/results/trace/span_name.hpp"

namespace paceline {
namespace {

// The tracks of a role: its streams, then its waits.
constexpr int kTracks = kStreamKinds + 1;
constexpr int kWaits = kStreamKinds;
// Thread ids are above all process ids, so that no thread looks like the main thread of its
// process.
constexpr int kFirstThread = 100'000;

int thread_of(RoleId role, int track) {
  return kFirstThread + role * kTracks + track;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Nanoseconds as microseconds.
std::string time_text(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

/// A slice on a track.
struct Slice {
  const Span* span = nullptr;  ///< null: an idle time
  int thread = 0;
  bool nested = false;              ///< inside the slice during which it begins
  std::int64_t begin = 0, end = 0;  ///< ns
  std::string name;                 ///< as JSON
  std::string args;                 ///< members of a JSON object, without its braces
};

class Events {
 public:
  Events(const Trace& trace, const SpanNames& names, CopyLinks copy_links,
         const WorkerMemory& memory)
      : trace_(trace), copy_links_(std::move(copy_links)), names_(names), memory_(memory) {
    for (const Moment& moment : trace.moments) {
      if (moment.kind == Moment::Kind::cancelled) cancelled_.insert({moment.worker, moment.count});
    }
  }

  std::string all() {
    for (const Span& span : trace_.spans) add(span);
    for (const Idle& idle : idle_times(trace_)) add(idle);
    name_threads();
    write_slices();
    write_loads();
    write_memory();
    write_moments();
    write_arrows();
    return std::move(out_);
  }

 private:
  std::int64_t ns(Instant at) const {
    const Instant inside = std::clamp(at, trace_.begin, trace_.end);
    return (inside.ps - trace_.begin.ps + 500) / 1000;
  }

  /// False for spans that the window clips to nothing, and for sums that take no time: many are at
  /// one instant, and Perfetto limits the depth of slices without length.
  bool is_drawn(const Span& span) const {
    const bool instant = span.begin == span.end;
    if (span.kind == SpanKind::sum && ns(span.begin) == ns(span.end)) return false;
    return instant ? span.begin >= trace_.begin && span.end <= trace_.end
                   : span.begin < trace_.end && span.end > trace_.begin;
  }

  void add(const Span& span) {
    if (!is_drawn(span)) return;
    const int track = is_wait(span.kind) ? kWaits : static_cast<int>(span.stream.kind);
    Slice slice;
    slice.span = &span;
    slice.thread = thread_of(span.stream.role, track);
    slice.nested = span.kind == SpanKind::part;
    slice.begin = ns(span.begin);
    slice.end = ns(span.end);
    std::string name = names_.of(span);
    if (is_cancelled(span)) name += " (cancelled)";
    slice.name = json_text(name);
    slice.args = args_of(span);
    tracks_.insert({span.stream.role, track});
    slices_.push_back(std::move(slice));
  }

  void add(const Idle& idle) {
    Slice slice;
    slice.thread = thread_of(idle.worker, kWaits);
    slice.begin = ns(idle.begin);
    slice.end = ns(idle.end);
    if (slice.end == slice.begin) return;
    slice.name = json_text(name_of(idle.cause));
    if (idle.from >= 0) slice.args = links_arg(idle.from, idle.to);
    tracks_.insert({idle.worker, kWaits});
    slices_.push_back(std::move(slice));
  }

  bool is_cancelled(const Span& span) const {
    return span.work.worker >= 0 && cancelled_.contains({span.work.worker, span.work.step});
  }

  std::string links_arg(RoleId from, RoleId to) {
    std::string text;
    for (const std::size_t link : copy_links_.between(from, to).links) {
      text += (text.empty() ? "" : ", ") + copy_links_.name(link);
    }
    return text.empty() ? "" : R"("links":)" + json_text(text);
  }

  std::string args_of(const Span& span) {
    std::string args;
    const auto put = [&args](const std::string& member) {
      if (!member.empty()) args += (args.empty() ? "" : ",") + member;
    };
    if (span.work.step >= 0 && span.work.worker >= 0) {
      put("\"step\":" + std::to_string(span.work.step));
    }
    if (is_cancelled(span)) put("\"cancelled\":true");
    if (span.kind == SpanKind::part) {
      put(std::string("\"pass\":\"") + name_of(span.layers.pass) + '"');
    }
    if (span.kind == SpanKind::update && span.version > 0) {
      put("\"version\":" + std::to_string(span.version));
    }
    if (span.bytes > 0) put("\"bytes\":" + std::to_string(std::llround(span.bytes)));
    if (span.kind == SpanKind::copy) {
      const double seconds = (span.end - span.begin).value();
      if (seconds > 0) put("\"GB/s\":" + number(span.bytes / seconds / 1e9));
      put(links_arg(span.from, span.to));
    }
    return args;
  }

  void line(const std::string& text) {
    out_ += text;
    out_ += "}\n";
  }

  void name_threads() {
    static constexpr const char* kNames[kTracks] = {"compute", "push", "fetch", "input", "waits"};
    for (const auto& [role, track] : tracks_) {
      const int thread = thread_of(role, track);
      const std::string at = R"("ph":"M","tid":)" + std::to_string(thread);
      const std::string name = names_.of(role) + " " + kNames[track];
      line(at + R"(,"name":"thread_name","args":{"name":)" + json_text(name) + "}");
      line(at + R"(,"name":"thread_sort_index","args":{"sort_index":)" + std::to_string(thread) +
           "}");
    }
  }

  /// Writes slices in order of time: a slice without length comes before one that begins at the
  /// same time, and a nested slice after the one that contains it. The clocks of devices are
  /// slightly inexact, so the begin of a slice is moved to the end of the previous one on its track
  /// where they overlap.
  void write_slices() {
    const auto order = [](const Slice& slice) {
      return std::tuple(slice.thread, slice.begin, slice.end > slice.begin, -slice.end,
                        slice.nested);
    };
    std::stable_sort(slices_.begin(), slices_.end(),
                     [&](const Slice& a, const Slice& b) { return order(a) < order(b); });
    int thread = -1;
    std::int64_t last_end = 0, last_nested_end = 0;
    for (const Slice& slice : slices_) {
      if (slice.thread != thread) last_end = last_nested_end = 0;
      thread = slice.thread;
      std::int64_t begin = std::max(slice.begin, slice.nested ? last_nested_end : last_end);
      std::int64_t end = std::max(begin, slice.end);
      if (slice.nested) {
        if (begin < last_end) end = std::min(end, last_end);
        last_nested_end = end;
      } else {
        last_end = end;
        last_nested_end = begin;
      }
      if (slice.span != nullptr) drawn_[slice.span] = begin;
      line(R"("ph":"X","tid":)" + std::to_string(thread) + ",\"ts\":" + time_text(begin) +
           ",\"dur\":" + time_text(end - begin) + ",\"name\":" + slice.name +
           (slice.args.empty() ? "" : ",\"args\":{" + slice.args + "}"));
    }
  }

  void write_loads() {
    const auto loads = link_loads(trace_, copy_links_);
    for (std::size_t link = 0; link < loads.size(); ++link) {
      const std::string name = ",\"name\":" + json_text(copy_links_.name(link));
      const auto put = [&](Instant at, BytesPerSecond load) {
        line(R"("ph":"C","ts":)" + time_text(ns(at)) + name + R"(,"args":{"GB/s":)" +
             number(load.value() / 1e9) + "}");
      };
      BytesPerSecond last;
      for (std::size_t i = 0; i < loads[link].size(); ++i) {
        const LoadChange& change = loads[link][i];
        // Of the changes before the trace begins only the last counts.
        if (change.at >= trace_.end) break;
        if (i + 1 < loads[link].size() && loads[link][i + 1].at <= trace_.begin) continue;
        put(change.at, change.load);
        last = change.load;
      }
      if (last > BytesPerSecond{}) put(trace_.end, {});  // a counter keeps its last value
    }
  }

  void write_memory() {
    const std::string name = R"(,"name":"memory of )" + names_.of(0) + R"(","args":{"GB":)";
    for (const MemoryChange& change : memory_over_time(trace_, memory_, 0)) {
      if (change.at > trace_.end) break;
      line(R"("ph":"C","ts":)" + time_text(ns(change.at)) + name +
           number(change.held.value() / 1e9) + "}");
    }
  }

  void write_moments() {
    for (const Moment& moment : trace_.moments) {
      std::string name;
      std::string scope = R"("s":"p")";
      if (moment.kind == Moment::Kind::version) {
        name = "version " + std::to_string(moment.count);
      } else {
        name = moment.kind == Moment::Kind::died
                   ? "died"
                   : "step " + std::to_string(moment.count) + " cancelled";
        scope = R"("s":"t","tid":)" +
                std::to_string(thread_of(moment.worker, static_cast<int>(StreamKind::compute)));
      }
      line(R"("ph":"i",)" + scope + ",\"ts\":" + time_text(ns(moment.at)) +
           ",\"name\":" + json_text(name));
    }
    if (trace_.cut) {
      line(R"("ph":"i","s":"p","ts":)" + time_text(ns(trace_.end)) +
           ",\"name\":" + json_text(kTraceCut));
    }
  }

  /// An arrow from the begin of one span's slice to the begin of another's.
  void arrow(const Span& from, const Span& to) {
    const auto tail = drawn_.find(&from);
    const auto head = drawn_.find(&to);
    if (tail == drawn_.end() || head == drawn_.end() || tail->second > head->second) return;
    const std::string id = std::to_string(++arrows_);
    const auto end = [&](const char* phase, const Span& span, std::int64_t begin) {
      const int thread = thread_of(span.stream.role, static_cast<int>(span.stream.kind));
      line(R"("ph":")" + std::string(phase) + R"(","tid":)" + std::to_string(thread) +
           ",\"ts\":" + time_text(begin) + R"(,"name":"gradient","id":)" + id);
    };
    end("s", from, tail->second);
    end(R"(f","bp":"e)", to, head->second);
  }

  void write_arrows() {
    for (const Arrow& one : gradient_arrows(trace_, names_.roles())) {
      arrow(*one.from, *one.to);
    }
  }

  const Trace& trace_;
  CopyLinks copy_links_;
  SpanNames names_;
  const WorkerMemory& memory_;
  std::set<std::pair<RoleId, std::int64_t>> cancelled_;
  std::set<std::pair<RoleId, int>> tracks_;
  std::vector<Slice> slices_;
  std::map<const Span*, std::int64_t> drawn_;  ///< where each span's slice begins, ns
  int arrows_ = 0;
  std::string out_;
};

}  // namespace

std::string perfetto_events(const Trace& trace, const SpanNames& names, CopyLinks copy_links,
                            const WorkerMemory& memory) {
  return Events(trace, names, std::move(copy_links), memory).all();
}

std::string perfetto_process(const TraceProcess& process) {
  const std::string details = process.details.empty() ? "" : "," + process.details;
  return perfetto_events_of(
      process, R"("ph":"M","name":"process_name","args":{"name":)" + json_text(process.name) +
                   details + "}}\n" +
                   R"("ph":"M","name":"process_sort_index","args":{"sort_index":)" +
                   std::to_string(process.id) + "}}\n");
}

std::string perfetto_events_of(const TraceProcess& process, const std::string& lines) {
  const std::string prefix =
      "{\"pid\":" + std::to_string(process.id) + ",\"cat\":" + json_text(process.category) + ",";
  std::string events;
  std::string_view rest = lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    events += prefix;
    events += rest.substr(0, end);
    events += ",\n";
    rest.remove_prefix(end + 1);
  }
  return events;
}

}  // namespace paceline
