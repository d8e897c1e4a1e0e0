// SPDX-License-Identifier: MIT
/// \file
/// results.csv, steps.csv and the same rows as JSON. Each number is the shortest text that reads
/// back to the same double, so equal results are equal bytes.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "training/results/columns.hpp"

namespace paceline {

/// The maximum number of rows of steps.csv.
inline constexpr std::size_t kMostSteps = 20'000;

/// The cells of a row, except for the swept keys. It refers to the row's measurement.
ResultLine line_of(const ResultRow& row);

/// results.csv. `swept` contains the dotted paths of the swept keys; their columns follow the fixed
/// ones.
std::string results_csv(const std::vector<ResultRow>& rows, const std::vector<std::string>& swept);

/// steps.csv, cut after kMostSteps rows at the end of a point.
std::string steps_csv(const std::vector<ResultRow>& rows);

/// curves.csv: the held-out loss during training.
std::string curves_csv(const std::vector<ResultRow>& rows);
/// staleness.csv: the number of gradients by staleness.
std::string staleness_csv(const std::vector<ResultRow>& rows);
/// step_times.csv: quantiles of the time from one mini-batch of a worker to its next.
std::string step_times_csv(const std::vector<ResultRow>& rows);

/// The rows as a list of JSON objects; swept keys are in an object of their own.
std::string results_json(const std::vector<ResultRow>& rows);

}  // namespace paceline
