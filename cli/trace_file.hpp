// SPDX-License-Identifier: MIT
/// \file
/// trace.json.gz: the spans of all points of an experiment, predicted and measured, as Perfetto
/// opens them. What a point's source did is kept beside its measurement, so that a run that was
/// stopped goes on where it was.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "training/setting.hpp"

namespace paceline {

/// Spans in a whole trace file: some 150 MB of JSON, which Perfetto opens in seconds.
inline constexpr std::size_t kMostSpansOfFile = 1'000'000;

/// How many spans each of `processes` (a source of a point each) may have: an equal share, but
/// enough for some steps.
std::size_t spans_for_each(std::size_t processes);

/// Keeps a trace beside the point's measurement.
void save_trace(const std::filesystem::path& folder, const std::string& key, const Trace& trace,
                const Setting& setting);
/// Whether that has been done.
bool has_trace(const std::filesystem::path& folder, const std::string& key);

/// A source of a point whose trace was kept.
struct KeptTrace {
  std::string key;
  const char* source = "";  ///< "predicted" or "measured"
  std::size_t point = 0;    ///< its index
  const ExperimentPoint* of = nullptr;
};

/// Writes all kept traces into one file, whole, in their order; what does not fit or was damaged is
/// left out, and `terminal.err` says so, as it says how many were cut.
void write_trace_file(const std::filesystem::path& file, const std::filesystem::path& folder,
                      const std::vector<KeptTrace>& kept, const Terminal& terminal);

/// Likewise, of one trace that was not kept.
void write_trace_file(const std::filesystem::path& file, const std::string& name,
                      const Trace& trace, const Setting& setting, const Terminal& terminal);

}  // namespace paceline
