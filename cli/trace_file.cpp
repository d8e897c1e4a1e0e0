// SPDX-License-Identifier: MIT
#include "cli/trace_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/gzip.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/whole_file.hpp"
#include "training/experiment/memory_of_point.hpp"
#include "training/results/trace/perfetto.hpp"
#include "training/results/trace/span_name.hpp"

namespace paceline {
namespace {

// Enough spans for one step of a large network.
constexpr std::size_t kFewestSpans = 5'000;
// A larger trace is kept on the disk but left out of the common file.
constexpr std::size_t kMostText = 400'000'000;  // characters

constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
// JSON allows no comma after the last item, so the list ends with an event that readers ignore.
constexpr std::string_view kTail = "{\"pid\":1,\"ph\":\"M\",\"name\":\"end\"}\n]}\n";

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& key) {
  return folder / (key + ".trace.gz");
}

std::string packed(const std::string& text) {
  GzipWriter writer;
  writer.add(text);
  return writer.finish();
}

std::optional<std::string> load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return gunzip(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// "quickstart workers=4 update=sync: predicted"
std::string name_of(const SavedTrace& trace) {
  std::string name = trace.of->experiment.name;
  for (const SweptKey& key : trace.of->swept) name += " " + key.path + "=" + key.value;
  return name + ": " + trace.source;
}

/// The rows of results.csv to which the trace belongs, as JSON members.
std::string details_of(const SavedTrace& trace) {
  const Experiment& experiment = trace.of->experiment;
  return R"("experiment":)" + json_text(experiment.name) +
         ",\"point\":" + std::to_string(trace.point) + R"(,"source":)" + json_text(trace.source) +
         R"(,"policy":)" + json_text(trace.of->update_name()) +
         ",\"workers\":" + std::to_string(experiment.workers);
}

/// Writes a trace file process by process. Processes that are left out keep their numbers.
class FileWriter {
 public:
  FileWriter() { packed_.add(kHead); }

  void add(const std::string& name, const std::string& details, const std::string& events) {
    ++processes_;
    if (written_ + events.size() > kMostText) {
      ++left_out_;
      return;
    }
    written_ += events.size();
    if (events.find(kTraceCut) != std::string::npos) ++cut_;
    const TraceProcess process{processes_, name, std::to_string(processes_), details};
    packed_.add(perfetto_process(process));
    packed_.add(perfetto_events_of(process, events));
  }

  void add_damaged(const std::filesystem::path& path) {
    ++processes_;
    damaged_.push_back(path.string());
  }

  void finish(const std::filesystem::path& file, const Terminal& terminal) {
    packed_.add(kTail);
    write_whole(file, packed_.finish());
    if (cut_ > 0) {
      terminal.err << file.string() << ": " << counted(cut_, "track")
                   << " with the first updates only (trace fewer points for more)\n";
    }
    if (left_out_ > 0) {
      terminal.err << file.string() << ": " << counted(left_out_, "track")
                   << " left out: too many tracks\n";
    }
    for (const std::string& path : damaged_) {
      terminal.err << file.string() << ": a track left out: " << path
                   << " is damaged (remove it, and its point is run again)\n";
    }
  }

 private:
  GzipWriter packed_;
  std::size_t written_ = 0, left_out_ = 0, cut_ = 0;
  std::vector<std::string> damaged_;  // files of damaged traces
  int processes_ = 0;
};

}  // namespace

std::size_t spans_for_each(std::size_t processes) {
  const std::size_t share = kMostSpansOfFile / std::max<std::size_t>(1, processes);
  return std::clamp(share, kFewestSpans, SpanRecorder::kMostSpans);
}

void save_trace(const std::filesystem::path& folder, const std::string& key, const Trace& trace,
                const Setting& setting) {
  write_whole(file_of(folder, key),
              packed(perfetto_events(trace, names_of(setting), copy_links_of(setting),
                                     memory_of_workers(*setting.point))));
}

bool has_trace(const std::filesystem::path& folder, const std::string& key) {
  std::error_code none;
  return std::filesystem::is_regular_file(file_of(folder, key), none);
}

void write_trace_file(const std::filesystem::path& file, const std::filesystem::path& folder,
                      const std::vector<SavedTrace>& traces, const Terminal& terminal) {
  FileWriter writer;
  for (const SavedTrace& one : traces) {
    const std::filesystem::path path = file_of(folder, one.key);
    if (const std::optional<std::string> events = load(path)) {
      writer.add(name_of(one), details_of(one), *events);
    } else {
      writer.add_damaged(path);
    }
  }
  writer.finish(file, terminal);
}

void write_trace_file(const std::filesystem::path& file, const std::string& name,
                      const Trace& trace, const Setting& setting, const Terminal& terminal) {
  FileWriter writer;
  writer.add(name, "",
             perfetto_events(trace, names_of(setting), copy_links_of(setting),
                             memory_of_workers(*setting.point)));
  writer.finish(file, terminal);
}

}  // namespace paceline
