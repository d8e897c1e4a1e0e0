// SPDX-License-Identifier: MIT
/// \file
/// Whether `draws: extremes` can hold for what a command does, before it does anything.
#pragma once
#include <vector>

#include "cli/experiment_run.hpp"

namespace paceline {

/// Throws SpecError with a line for each point that draws extremes and cannot: where workers differ
/// or share links, or where the command needs every worker.
void check_extremes(const std::vector<ExperimentFile>& files, const Options& options,
                    SourceSelection sources);

/// The same for a command that shows every worker.
void check_explained_extremes(const std::vector<ExperimentFile>& files);

}  // namespace paceline
