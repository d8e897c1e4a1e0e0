// SPDX-License-Identifier: MIT
/// \file
/// The rows of a results folder, read back from its results.csv.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace paceline {

/// A row of results.csv.
struct FolderRow {
  std::map<std::string, std::string> cells;  ///< by column, as written
  std::optional<double> throughput;          ///< items/s
  std::optional<double> standard_error;      ///< of the throughput

  const std::string& cell(const std::string& column) const;  ///< "" if there is none
};

struct ResultsFolder {
  std::string path;
  std::vector<std::string> swept;  ///< dotted paths of the swept keys
  std::vector<FolderRow> rows;
  /// Short names of swept values, by path and value; of the manifest, empty without one.
  std::map<std::string, std::map<std::string, std::string>> labels;
};

/// Throws SpecError unless the folder has one of these files; the message names folders that do.
void expect_results(const std::string& folder, std::initializer_list<const char*> files);

/// Throws SpecError if the folder has no results, or damaged ones.
ResultsFolder read_results(const std::string& folder);

}  // namespace paceline
