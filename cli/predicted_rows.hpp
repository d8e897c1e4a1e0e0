// SPDX-License-Identifier: MIT
/// \file
/// The predictions of all points of files, without a folder of results.
#pragma once
#include <functional>
#include <vector>

#include "cli/command.hpp"
#include "cli/speedup.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

using UseOfRows = std::function<void(const ExperimentFile&, const std::vector<ResultRow>&)>;

/// Predicts the points of each file and calls `use` with its rows; then prints the status of each
/// row that has no figures. False if there was one. Only `jobs` and `quiet` of the options count.
bool predict_files(const std::vector<ExperimentFile>& files, const Options& options,
                   const Terminal& terminal, const UseOfRows& use);

}  // namespace paceline
