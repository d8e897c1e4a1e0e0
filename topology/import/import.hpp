// SPDX-License-Identifier: MIT
/// \file
/// Imports machines from topology files of other tools. Each format is one row of a table: a test
/// that recognises it and a function that reads it.
#pragma once
#include <string>

#include "topology/import/assemble.hpp"

namespace paceline {

/// Imports the machine in `text`; `file` is its name in errors. The result is a valid machine.
/// Throws SpecError if the format is unknown, the text is invalid, or it describes more than one
/// computer.
ImportedMachine import_topology(const std::string& file, const std::string& text,
                                const Assumptions& assumptions);

/// The machine as a YAML file, with the assumptions in comments at the top. `command` is the
/// command that made it.
std::string machine_yaml(const ImportedMachine& machine, const std::string& command);

}  // namespace paceline
