// SPDX-License-Identifier: MIT
/// \file
/// Runs experiments: every point from every source that is asked for, finished points kept on the
/// disk, and the results, figures and table made from them. What simulate, execute and run have in
/// common.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "training/experiment_file.hpp"

namespace paceline {

/// What to ask of every point.
struct Asked {
  bool predict = false;  ///< theory and published figures too
  bool execute = false;
};

/// The experiments in these files, changed by `overrides`. Throws SpecError with all mistakes of
/// all files, and when there is no file.
std::vector<ExperimentFile> load_experiments(const Options& options);

/// Where results of an experiment go: `-o`, a folder in it where several files are given, or
/// results/NAME; results/NAME@key=value where the command line changed keys.
std::filesystem::path folder_of(const ExperimentFile& file, const Options& options, bool several);

/// Runs all of them; returns the exit code.
int run_experiments(const Options& options, const Terminal& terminal, Asked asked);

}  // namespace paceline
