// SPDX-License-Identifier: MIT
#include "cli/disturbances.hpp"

#include <cmath>
#include <numeric>

#include "cli/comparison.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

constexpr double kBusy = 0.1;      // share of the cores that other programs may use unnoticed
constexpr double kChanged = 0.05;  // relative change of the arithmetic that is worth a sentence

std::string other_programs(const std::vector<ResultRow>& rows, int cores) {
  std::vector<double> used;
  int measured = 0;
  for (const ResultRow& row : rows) {
    if (row.source != Source::measured || !row.measurement.other_cores) continue;
    ++measured;
    if (*row.measurement.other_cores >= kBusy * cores) used.push_back(*row.measurement.other_cores);
  }
  if (used.empty()) return "";
  const double mean =
      std::accumulate(used.begin(), used.end(), 0.0) / static_cast<double>(used.size());
  return "Other programs used " + significant(mean, 2) + " of " + counted(cores, "core") +
         " during " + std::to_string(used.size()) + " of " + counted(measured, "measured point") +
         ": these times are longer than on a quiet computer (measure again when it is).";
}

/// The change of the arithmetic, at points that the calibration of this computer predicts.
std::string arithmetic_since_calibration(const std::vector<ResultRow>& rows) {
  std::vector<double> ratios;
  const ResultRow* predicted = nullptr;
  for (const ResultRow& row : rows) {
    if (row.source == Source::predicted) predicted = &row;
    if (row.source != Source::measured || predicted == nullptr || predicted->index != row.index)
      continue;
    const auto& before = predicted->measurement.compute;
    const auto& now = row.measurement.compute;
    const bool calibrated = predicted->layer_times == "measured" && row.usable();
    if (calibrated && before && now && *before > 0) ratios.push_back(*now / *before - 1);
  }
  if (ratios.empty()) return "";
  const double median = quantile_of(ratios, 0.5);
  if (std::fabs(median) < kChanged) return "";
  return "Arithmetic took " + significant(100 * std::fabs(median), 2) + " % " +
         (median > 0 ? "longer" : "less") + " than at calibration (median of " +
         counted(ratios.size(), "point") + ").";
}

}  // namespace

std::vector<std::string> disturbances(const std::vector<ResultRow>& rows, int cores) {
  std::vector<std::string> sentences;
  for (std::string text : {other_programs(rows, cores), arithmetic_since_calibration(rows)}) {
    if (!text.empty()) sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace paceline
