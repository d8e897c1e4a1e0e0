// SPDX-License-Identifier: MIT
/// \file
/// The topology files on which importers are tested, short ones in samples/ and long ones written
/// by functions, and functions to query the resulting machines.
#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"
#include "tests/topology/import/written/hwloc_machines.hpp"
#include "tests/topology/import/written/nccl_machines.hpp"
#include "topology/import/import.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {

/// The path of a file below samples/.
inline std::string sample_path(const std::string& name) {
  return std::string(PACELINE_SOURCE_DIR) + "/tests/topology/samples/" + name;
}

/// The samples that are written by functions.
inline const std::map<std::string, std::string (*)()>& written_samples() {
  using test::HwlocDetail;
  static const std::map<std::string, std::string (*)()> kWritten{
      {"hwloc/dgx2h.xml", [] { return test::dgx2h_of_hwloc(HwlocDetail::devices); }},
      {"hwloc/dgx2h_all.xml", [] { return test::dgx2h_of_hwloc(HwlocDetail::all); }},
      {"hwloc/workstation.xml", [] { return test::workstation_of_hwloc(HwlocDetail::devices); }},
      {"hwloc/workstation_all.xml", [] { return test::workstation_of_hwloc(HwlocDetail::all); }},
      {"nccl/dgx_a100.xml", test::dgx_a100_of_nccl},
      {"nccl/rtx4090_server.xml", test::rtx4090_server_of_nccl},
      {"nccl/mi300x_server.xml", test::mi300x_server_of_rccl},
      {"nccl/mi100_server.xml", test::mi100_server_of_rccl}};
  return kWritten;
}

inline std::string sample(const std::string& name) {
  const auto written = written_samples().find(name);
  return written == written_samples().end() ? read_text_file(sample_path(name)) : written->second();
}

/// The names of all samples: "matrix/power8_4xP100.topo".
inline std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& [name, write] : written_samples()) names.push_back(name);
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
