// SPDX-License-Identifier: MIT
#include "training/published/published_table.hpp"

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

}  // namespace

PublishedTable PublishedTable::load(const std::string& path) {
  const std::string text = read_text_file(path);
  const auto file = std::make_shared<const std::string>(path);
  PublishedTable table;
  Diagnostics diagnostics;
  std::vector<std::string> header;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split_csv(line);
    if (header.empty()) {
      header = fields;
      for (const std::string& column : header) {
        if (column != "throughput" && column != "source") table.columns_.push_back(column);
      }
      continue;
    }
    if (fields.size() != header.size()) {
      diagnostics.error({file, number, 1}, "expected " + std::to_string(header.size()) +
                                               " fields, found " + std::to_string(fields.size()));
      continue;
    }
    Row row;
    row.row.line = number;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (header[i] == "source") {
        row.row.source = fields[i];
      } else if (header[i] == "throughput") {
        const char* end = fields[i].data() + fields[i].size();
        const auto [rest, error] = std::from_chars(fields[i].data(), end, row.row.throughput);
        if (error != std::errc{} || rest != end || !(row.row.throughput > 0) ||
            !std::isfinite(row.row.throughput)) {
          diagnostics.error({file, number, 1},
                            "throughput '" + fields[i] + "' is not a number > 0");
        }
      } else {
        row.keys.push_back(fields[i]);
      }
    }
    table.rows_.push_back(std::move(row));
  }
  if (header.size() == table.columns_.size()) {
    diagnostics.error({file, 1, 1}, "no column 'throughput'");
  }
  diagnostics.throw_if_any();
  return table;
}

std::optional<PublishedRow> PublishedTable::find(
    const Tree& point, const std::pair<std::string, std::string>& replace) const {
  std::vector<std::string> wanted;
  for (const std::string& column : columns_) {
    wanted.push_back(column == replace.first ? replace.second : text_at(point, column));
  }
  for (const Row& row : rows_) {
    if (row.keys == wanted) return row.row;
  }
  return std::nullopt;
}

}  // namespace paceline
