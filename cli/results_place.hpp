// SPDX-License-Identifier: MIT
/// \file
/// Where the results of an experiment go.
#pragma once
#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Makes a name from a file usable as one component of a path.
std::string as_folder(const std::string& name);

/// The results folder of an experiment: `-o`, or a folder in it if several files are given; by
/// default results/NAME, or results/NAME@key=value if the command line changed keys.
std::filesystem::path folder_of(const ExperimentFile& file, const Options& options, bool several);

/// The same without the command line's changes; finished points in it are of use too.
std::filesystem::path folder_without_overrides(const ExperimentFile& file, const Options& options,
                                               bool several);

}  // namespace paceline
