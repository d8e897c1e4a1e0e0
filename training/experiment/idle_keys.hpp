// SPDX-License-Identifier: MIT
/// \file
/// Keys of an experiment that are valid and have no effect at any of its points: a checkpoint after
/// more updates than the run has, a schedule of learning rates without training, or buckets of
/// gradients that travel together. Their author expects an effect, so commands print a note on
/// each.
#pragma once
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// The notes, a line each: "file:line:column: note: 'checkpoint' has no effect: ...".
std::vector<std::string> notes_on_idle_keys(const ExperimentFile& file);

}  // namespace paceline
