// SPDX-License-Identifier: MIT
/// \file
/// Runs experiments for simulate, execute and run: evaluates every point by every requested source,
/// keeps finished points on the disk, and writes the results, figures and table.
#pragma once
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// The sources to evaluate for every point.
struct SourceSelection {
  bool predict = false;  ///< theory, prediction and published figures
  bool execute = false;
};

/// Loads the experiment files with `overrides` applied. Throws a SpecError with all errors of all
/// files, or if no file is given.
std::vector<ExperimentFile> load_experiments(const Options& options);

/// Prints the keys that change nothing, a line each, unless --quiet is given.
void note_idle_keys(const std::vector<ExperimentFile>& files, const Options& options,
                    const Terminal& terminal);

/// Completes a file that was read: its machine may be this computer. Throws a SpecError where a
/// point is too large for it.
void settle_here(ExperimentFile& file, const Options& options);

/// Runs experiments and returns the exit code.
int run_loaded(std::vector<ExperimentFile> files, const Options& options, const Terminal& terminal,
               SourceSelection sources);
int run_experiments(const Options& options, const Terminal& terminal, SourceSelection sources);

}  // namespace paceline
