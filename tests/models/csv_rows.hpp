// SPDX-License-Identifier: MIT
/// \file
/// Reads the tables that tests compare with: a header line, then rows; fields may be quoted.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/gzipped_text.hpp"

namespace paceline::test {

using CsvRow = std::map<std::string, std::string>;

inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// The rows of a file, gzipped or not, by column; lines that start with '#' are comments.
inline std::vector<CsvRow> read_csv(const std::string& path) {
  std::vector<CsvRow> rows;
  std::vector<std::string> header;
  std::istringstream file(gzipped_text(path));
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split_csv(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    CsvRow row;
    for (std::size_t i = 0; i < header.size() && i < fields.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace paceline::test
