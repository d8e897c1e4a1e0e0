// SPDX-License-Identifier: MIT
/// \file
/// Writes trace.json.gz: the spans of all points of an experiment, predicted and measured, for
/// Perfetto. The trace of each point and source is kept beside its measurement, so that a stopped
/// run can continue.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "training/experiment/setting.hpp"

namespace paceline {

/// The most spans of a trace file: about 150 MB of JSON, which Perfetto opens in seconds.
inline constexpr std::size_t kMostSpansOfFile = 1'000'000;

/// The number of spans that each of `processes` (one per point and source) may have: an equal
/// share, but enough for some steps.
std::size_t spans_for_each(std::size_t processes);

/// Saves a trace beside the point's measurement.
void save_trace(const std::filesystem::path& folder, const std::string& key, const Trace& trace,
                const Setting& setting);
/// True if the point's trace was saved.
bool has_trace(const std::filesystem::path& folder, const std::string& key);

/// A saved trace, of one point and source.
struct SavedTrace {
  std::string key;
  const char* source = "";  ///< "predicted" or "measured"
  std::size_t point = 0;    ///< index of the point
  const ExperimentPoint* of = nullptr;
};

/// Writes all saved traces in order into one complete file. Traces that do not fit or are damaged
/// are left out; `terminal.err` reports these and the number of truncated traces.
void write_trace_file(const std::filesystem::path& file, const std::filesystem::path& folder,
                      const std::vector<SavedTrace>& traces, const Terminal& terminal);

/// Writes a single trace that was not saved.
void write_trace_file(const std::filesystem::path& file, const std::string& name,
                      const Trace& trace, const Setting& setting, const Terminal& terminal);

}  // namespace paceline
