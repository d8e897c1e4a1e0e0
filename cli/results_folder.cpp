// SPDX-License-Identifier: MIT
#include "cli/results_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "experiments/language/csv.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/json.hpp"

namespace paceline {
namespace {

constexpr std::string_view kSwept = "swept.";

/// The results folders inside `place`, as a user would type them.
std::vector<std::string> results_in(const std::filesystem::path& place) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    if (std::filesystem::is_regular_file(entry.path() / "results.csv", error)) {
      folders.push_back(entry.path().lexically_normal().string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::optional<double> number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return value;
}

/// The columns named in the header, if the needed ones are among them.
std::vector<std::string> columns_of(const CsvReader& reader, Diagnostics& errors) {
  const std::vector<std::string>& names = reader.fields();
  for (const char* needed : {"source", "item", "throughput", "throughput_stderr"}) {
    if (std::ranges::find(names, needed) != names.end()) continue;
    errors.error(reader.at(), "column '" + std::string(needed) + "' is missing");
  }
  return names;
}

FolderRow row_of(const CsvReader& reader, const std::vector<std::string>& columns,
                 Diagnostics& errors) {
  FolderRow row;
  const std::vector<std::string>& fields = reader.fields();
  if (fields.size() != columns.size()) {
    errors.error(reader.at(), std::to_string(fields.size()) + " cells where the header has " +
                                  std::to_string(columns.size()));
    return row;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) row.cells[columns[i]] = fields[i];
  for (const char* name : {"throughput", "throughput_stderr"}) {
    const std::string& text = row.cell(name);
    if (text.empty() || number(text)) continue;
    errors.error(reader.at(), "column '" + std::string(name) +
                                  "': " + quote(std::string_view(text)) + " is not a number");
  }
  row.throughput = number(row.cell("throughput"));
  row.standard_error = number(row.cell("throughput_stderr"));
  return row;
}

void read_labels(const std::filesystem::path& file, ResultsFolder& folder) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return;
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const Tree manifest = parse_json(file.string(), text);
  const Tree* labels = manifest.find("labels");
  if (labels == nullptr) return;
  for (const Member& key : labels->members) {
    for (const Member& name : key.value.members) folder.labels[key.key][name.key] = name.value.text;
  }
}

}  // namespace

const std::string& FolderRow::cell(const std::string& column) const {
  static const std::string blank;
  const auto at = cells.find(column);
  return at != cells.end() ? at->second : blank;
}

void expect_results(const std::string& folder, std::initializer_list<const char*> files) {
  std::error_code error;
  for (const char* name : files) {
    if (std::filesystem::is_regular_file(std::filesystem::path(folder) / name, error)) return;
  }
  std::vector<std::string> known = results_in(folder);
  if (known.empty()) known = results_in("results");
  constexpr std::size_t kMost = 10;
  const std::size_t more = known.size() > kMost ? known.size() - kMost : 0;
  known.resize(known.size() - more);
  std::string hint = "paceline simulate, execute and run write one";
  if (!known.empty()) hint = "with results: " + join(known);
  if (more > 0) hint += " and " + std::to_string(more) + " more";
  const bool there = std::filesystem::exists(folder, error);
  const std::string problem = there ? "no results.csv in this folder" : "no such folder";
  throw SpecError(folder + ": error: " + problem + " (" + hint + ")");
}

ResultsFolder read_results(const std::string& folder) {
  expect_results(folder, {"results.csv"});
  ResultsFolder results;
  results.path = folder;
  const std::filesystem::path place(folder);
  const std::filesystem::path table = place / "results.csv";
  std::ifstream in(table, std::ios::binary);
  Diagnostics errors;
  CsvReader reader(table.string(), in, errors);
  std::vector<std::string> columns;
  if (reader.next()) {
    columns = columns_of(reader, errors);
  } else if (errors.empty()) {
    throw SpecError(table.string() + ": error: the file is empty");
  }
  errors.throw_if_any();
  while (reader.next() && !errors.full()) results.rows.push_back(row_of(reader, columns, errors));
  errors.throw_if_any();
  for (const std::string& column : columns) {
    if (column.starts_with(kSwept)) results.swept.push_back(column.substr(kSwept.size()));
  }
  read_labels(place / "manifest.json", results);
  return results;
}

}  // namespace paceline
