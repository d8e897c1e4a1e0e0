// SPDX-License-Identifier: MIT
#include "training/published/published_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "experiments/yaml.hpp"

namespace paceline {
namespace {

/// Fields of one CSV line; a quoted field may hold commas and doubled quotes.
std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// What a point says under a dotted path, as the table writes it.
std::string text_at(const Tree& point, const std::string& path) {
  const Tree* at = &point;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    at = at->is_map() ? at->find(path.substr(begin, end - begin)) : nullptr;
    if (at == nullptr) return "";
    begin = end + 1;
  }
  if (const Tree* kind = at->is_map() ? at->find("kind") : nullptr) return to_flow(*kind);
  return to_flow(*at);
}

/// What a table says of a row beside its key.
bool describes_the_row(std::string_view column) {
  return column == "throughput" || column == "source" || column == "gpu" || column == "software";
}

bool says_how_updates_are_made(std::string_view column) {
  for (const std::string_view key : {"aggregation", "update"}) {
    if (column == key || (column.starts_with(key) && column[key.size()] == '.')) return true;
  }
  return false;
}

bool may_be_of(const PublishedRow& row, const GpuSpec* gpu) {
  return gpu == nullptr || row.gpu.empty() || same_gpu(*gpu, row.gpu);
}

}  // namespace

PublishedTable PublishedTable::load(const std::string& path) {
  return parse(path, read_text_file(path));
}

PublishedTable PublishedTable::parse(const std::string& path, const std::string& text) {
  const auto file = std::make_shared<const std::string>(path);
  PublishedTable table;
  Diagnostics diagnostics;
  std::vector<std::string> header;
  int header_line = 1;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split_csv(line);
    if (header.empty()) {
      header = fields;
      header_line = number;
      for (const std::string& column : header) {
        if (!describes_the_row(column)) table.columns_.push_back(column);
      }
      continue;
    }
    if (fields.size() != header.size()) {
      diagnostics.error({file, number, 1}, "expected " + std::to_string(header.size()) +
                                               " fields, found " + std::to_string(fields.size()));
      continue;
    }
    Entry entry;
    entry.row.line = number;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (header[i] == "source") {
        entry.row.source = fields[i];
      } else if (header[i] == "gpu") {
        entry.row.gpu = fields[i];
      } else if (header[i] == "software") {
        entry.row.software = fields[i];
      } else if (header[i] == "throughput") {
        const char* end = fields[i].data() + fields[i].size();
        const auto [rest, error] = std::from_chars(fields[i].data(), end, entry.row.throughput);
        if (error != std::errc{} || rest != end || !(entry.row.throughput > 0) ||
            !std::isfinite(entry.row.throughput)) {
          diagnostics.error({file, number, 1},
                            "throughput '" + fields[i] + "' is not a number > 0");
        }
      } else {
        entry.keys.push_back(fields[i]);
      }
    }
    entry.row.aggregation = table.cell(entry, "aggregation");
    table.entries_.push_back(std::move(entry));
  }
  if (std::find(header.begin(), header.end(), "throughput") == header.end()) {
    diagnostics.error({file, header_line, 1}, "no column 'throughput'");
  }
  diagnostics.throw_if_any();
  return table;
}

const std::string& PublishedTable::cell(const Entry& entry, std::string_view column) const {
  static const std::string kNone;
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return kNone;
  return entry.keys[static_cast<std::size_t>(found - columns_.begin())];
}

std::optional<PublishedRow> PublishedTable::find(
    const Tree& point, const GpuSpec* gpu,
    const std::pair<std::string, std::string>& replace) const {
  std::vector<std::string> wanted;
  for (const std::string& column : columns_) {
    wanted.push_back(column == replace.first ? replace.second : text_at(point, column));
  }
  for (const Entry& entry : entries_) {
    if (entry.keys == wanted && may_be_of(entry.row, gpu)) return entry.row;
  }
  return std::nullopt;
}

std::optional<PublishedRow> PublishedTable::find_base(const Tree& point, const GpuSpec* gpu) const {
  if (auto exact = find(point, gpu, {"workers", "1"})) {
    exact->aggregation = text_at(point, "aggregation");
    return exact;
  }
  std::optional<PublishedRow> fastest;
  for (const Entry& entry : entries_) {
    bool same = cell(entry, "workers") == "1" && may_be_of(entry.row, gpu);
    for (std::size_t i = 0; same && i < columns_.size(); ++i) {
      if (columns_[i] == "workers" || says_how_updates_are_made(columns_[i])) continue;
      same = entry.keys[i] == text_at(point, columns_[i]);
    }
    if (same && (!fastest || entry.row.throughput > fastest->throughput)) fastest = entry.row;
  }
  return fastest;
}

}  // namespace paceline
