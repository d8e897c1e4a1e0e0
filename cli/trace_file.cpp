// SPDX-License-Identifier: MIT
#include "cli/trace_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/gzip.hpp"
#include "experiments/whole_file.hpp"
#include "training/trace/perfetto.hpp"
#include "training/trace/span_name.hpp"

namespace paceline {
namespace {

// Fewer would not show a step of a large network.
constexpr std::size_t kFewestSpans = 5'000;
// Beyond it a trace can be kept, but not shown with the others.
constexpr std::size_t kMostText = 400'000'000;  // characters

constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
// What ends a list may have no comma after it; readers pass over what they do not know.
constexpr std::string_view kTail = "{\"pid\":1,\"ph\":\"M\",\"name\":\"end\"}\n]}\n";

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& key) {
  return folder / (key + ".trace.gz");
}

std::string packed(const std::string& text) {
  GzipWriter writer;
  writer.add(text);
  return writer.finish();
}

TraceProcess process_of(std::size_t i, const std::string& name) {
  return {static_cast<int>(i) + 1, name, std::to_string(i + 1)};
}

std::optional<std::string> load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return gunzip(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::size_t spans_for_each(std::size_t processes) {
  const std::size_t share = kMostSpansOfFile / std::max<std::size_t>(1, processes);
  return std::clamp(share, kFewestSpans, SpanRecorder::kMostSpans);
}

void save_trace(const std::filesystem::path& folder, const std::string& key, const Trace& trace,
                const Setting& setting) {
  write_whole(file_of(folder, key), packed(perfetto_events(trace, setting)));
}

bool has_trace(const std::filesystem::path& folder, const std::string& key) {
  std::error_code none;
  return std::filesystem::is_regular_file(file_of(folder, key), none);
}

void write_trace_file(const std::filesystem::path& file, const std::filesystem::path& folder,
                      const std::vector<KeptTrace>& kept, const Terminal& terminal) {
  GzipWriter writer;
  writer.add(kHead);
  std::size_t written = 0, left_out = 0, cut = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::optional<std::string> lines = load(file_of(folder, kept[i].key));
    if (!lines || written + lines->size() > kMostText) {
      ++left_out;
      continue;
    }
    written += lines->size();
    if (lines->find(kTraceCut) != std::string::npos) ++cut;
    const TraceProcess process = process_of(i, kept[i].name);
    writer.add(perfetto_process(process));
    writer.add(perfetto_events_of(process, *lines));
  }
  writer.add(kTail);
  write_whole(file, writer.finish());
  if (cut > 0) {
    terminal.err << file.string() << ": of " << counted(cut, "track") << " only the first updates ("
                 << "--set to fewer points shows more)\n";
  }
  if (left_out > 0) {
    terminal.err << file.string() << ": " << counted(left_out, "track")
                 << " left out: there are too many\n";
  }
}

std::string trace_json(const std::string& name, const Trace& trace, const Setting& setting) {
  const TraceProcess process = process_of(0, name);
  std::string text(kHead);
  text += perfetto_process(process);
  text += perfetto_events_of(process, perfetto_events(trace, setting));
  return text.append(kTail);
}

}  // namespace paceline
