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

/// Whether a point means real items and does not say how they arrive at its described machine: it
/// has a published measurement or epochs of a data set, and no `input`. It is predicted as if they
/// were there, which bounds its throughput from above. The items of `train` are draws, which are
/// there.
bool leaves_input_out(const ExperimentPoint& point);

}  // namespace paceline
