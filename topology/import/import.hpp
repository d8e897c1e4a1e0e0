// SPDX-License-Identifier: MIT
/// \file
/// Machines from the files of other tools. A format is a row of a table: how its text is known, and
/// what reads it.
#pragma once
#include <span>
#include <string>

#include "topology/import/assemble.hpp"

namespace paceline {

/// A format of topology files.
struct TopologyFormat {
  const char* name;  ///< "nvidia-smi matrix"
  bool (*is)(const std::string& text);
  Inventory (*read)(const std::string& file, const std::string& text);  ///< throws SpecError
};

/// In the order in which they are tried.
std::span<const TopologyFormat> topology_formats();

/// The machine in `text`; `file` is what errors call it. The result loads as a machine. Throws
/// SpecError where the text is not understood, or is of more than one computer.
ImportedMachine import_topology(const std::string& file, const std::string& text,
                                const Assumptions& assumptions);

/// The machine as a YAML file; what was assumed stands in comments on top. `made` says by what.
std::string machine_yaml(const ImportedMachine& machine, const std::string& made);

}  // namespace paceline
