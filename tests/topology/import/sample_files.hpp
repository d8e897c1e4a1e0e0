// SPDX-License-Identifier: MIT
/// \file
/// The topology files on which importers are tested, and functions to query the resulting machines.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"
#include "topology/import/import.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {

/// The path of a file below samples/.
inline std::string sample_path(const std::string& name) {
  return std::string(PACELINE_SOURCE_DIR) + "/tests/topology/samples/" + name;
}

inline std::string sample(const std::string& name) {
  return read_text_file(sample_path(name));
}

/// The names of all samples: "matrix/power8_4xP100.topo".
inline std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  const std::string folder = sample_path("");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().string().substr(folder.size());
    if (entry.is_regular_file() && !name.ends_with(".md")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A name in a form that GoogleTest allows.
inline std::string as_test_name(std::string name) {
  for (char& c : name) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!good) c = '_';
  }
  return name;
}

/// The machine after writing it to a file and reading it back.
inline Machine written_and_read(const ImportedMachine& imported) {
  return load_machine(parse_yaml("machine.yaml", machine_yaml(imported, "By a test")));
}

/// Imports the machine in a sample.
inline Machine imported_sample(const std::string& name, const Assumptions& assumptions = {}) {
  return written_and_read(import_topology(name, sample(name), assumptions));
}

/// The error of an import, or "".
inline std::string import_error(const std::string& text, const Assumptions& assumptions = {}) {
  try {
    import_topology("file", text, assumptions);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

/// A cell of a machine's matrix by its labels: "PIX".
inline std::string cell(const TopoMatrix& matrix, const std::string& a, const std::string& b) {
  const auto row = [&](const std::string& label) {
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
      if (matrix.rows[i].label == label) return i;
    }
    throw std::out_of_range(label);
  };
  const std::optional<MatrixCell>& found = matrix.rows.at(row(a)).cells.at(row(b));
  return found ? to_string(*found) : "?";
}

}  // namespace paceline
