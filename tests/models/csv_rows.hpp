// SPDX-License-Identifier: MIT
/// \file
/// Reads CSV tables of reference data for tests: a header line, then rows.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/language/csv.hpp"
#include "tests/gzipped_text.hpp"

namespace paceline::test {

using CsvRow = std::map<std::string, std::string>;

/// The rows of a file, gzipped or not, by column.
inline std::vector<CsvRow> read_csv(const std::string& path) {
  std::vector<CsvRow> rows;
  std::istringstream text(gzipped_text(path));
  Diagnostics errors;
  CsvReader csv(path, text, errors);
  csv.next();
  const std::vector<std::string> header = csv.fields();
  while (csv.next()) {
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = csv.fields().at(i);
  }
  errors.throw_if_any();
  return rows;
}

}  // namespace paceline::test
