// SPDX-License-Identifier: MIT
/// \file
/// Keys of an experiment that are valid and change nothing in any of its points: a checkpoint after
/// more updates than the run has, a schedule of learning rates where nothing is trained, a bucket
/// of gradients that travel together. They are written for an effect, so commands note them.
#pragma once
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// One line for each: "file:line:column: note: 'checkpoint' has no effect: ...".
std::vector<std::string> notes_on_idle_keys(const ExperimentFile& file);

}  // namespace paceline
