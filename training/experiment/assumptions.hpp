// SPDX-License-Identifier: MIT
/// \file
/// Figures that a prediction depends on and that the machine's author has left out. Presets state
/// theirs, and so do imported files; a note names those that were assumed for a machine of one's
/// own.
#pragma once
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// The notes, a line each: "file:line:column: note: 'machine': ... (assumed; ...)".
std::vector<std::string> notes_on_assumptions(const ExperimentFile& file);

}  // namespace paceline
