// SPDX-License-Identifier: MIT
#include "cli/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/comparison.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

struct Errors {
  std::vector<double> relative;  ///< with their signs
  std::vector<double> injected;  ///< delays as shares of a mini-batch's time
  std::vector<double> alone;     ///< of points with one worker, without exchange
  std::vector<double> parts;     ///< of the time of what is predicted, with their signs
  double worst_part = 0;
  std::size_t bases = 0;  ///< rows that set the cost of a worker
  double worst = 0;
  std::string where;
};

/// The part of a mini-batch that a clock decides: without injected delays, and without the waits
/// for others that follow from them.
std::optional<double> decided(const Measurement& measurement) {
  if (!measurement.step_mean || !measurement.delay || !measurement.wait) return std::nullopt;
  return *measurement.step_mean - *measurement.delay - *measurement.wait;
}

/// The error of this part; nothing where nothing was injected.
std::optional<double> error_of_part(const Measurement& predicted, const Measurement& observed) {
  const std::optional<double> mine = decided(predicted);
  const std::optional<double> other = decided(observed);
  if (!mine || !other || *other <= 0 || *observed.delay <= 0) return std::nullopt;
  return *mine / *other - 1;
}

std::string median_of(std::vector<double> errors) {
  for (double& error : errors) error = std::fabs(error);
  return "median |error| " + percent_size(quantile_of(std::move(errors), 0.5));
}

/// The error of the part that was really predicted, and of one worker by itself; "" if the points
/// have neither.
std::string apart(const Errors& errors) {
  std::string text;
  if (!errors.parts.empty()) {
    text +=
        "; arithmetic and communication alone, without injected delay and waiting for others: " +
        median_of(errors.parts) + ", worst " + percent(errors.worst_part);
  }
  const bool others = errors.alone.size() < errors.relative.size();
  if (!errors.alone.empty() && others) {
    text += "; with one worker " +
            (errors.alone.size() == 1 ? percent(errors.alone.front()) : median_of(errors.alone));
  }
  return text;
}

Errors errors_against(Source observed, const std::vector<ResultRow>& rows,
                      const SweptLabels& labels) {
  Errors errors;
  const ResultRow* predicted = nullptr;
  for (const ResultRow& row : rows) {
    if (row.source == Source::predicted) predicted = &row;
    if (row.source != observed || predicted == nullptr || predicted->index != row.index) continue;
    const std::optional<double> error = error_of(*predicted, row);
    if (!error) continue;
    if (sets_the_cost(*predicted, row)) {
      ++errors.bases;
      continue;
    }
    if (errors.relative.empty() || std::fabs(*error) > std::fabs(errors.worst)) {
      errors.worst = *error;
      errors.where = name_of(*row.point, labels);
    }
    errors.relative.push_back(*error);
    if (row.point->experiment.workers == 1) errors.alone.push_back(*error);
    if (const auto part = error_of_part(predicted->measurement, row.measurement)) {
      if (std::fabs(*part) > std::fabs(errors.worst_part)) errors.worst_part = *part;
      errors.parts.push_back(*part);
    }
    if (const auto share = injected_share(row.measurement)) errors.injected.push_back(*share);
  }
  return errors;
}

std::string bias_of(const std::vector<double>& errors) {
  const double mean =
      std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  const auto high = std::count_if(errors.begin(), errors.end(), [](double e) { return e > 0; });
  const auto low = std::count_if(errors.begin(), errors.end(), [](double e) { return e < 0; });
  std::string text = "; mean " + percent(mean);
  const auto all = static_cast<std::ptrdiff_t>(errors.size());
  if (all >= 4 && (high == all || low == all)) {
    text += std::string(", every prediction is too ") + (high == all ? "high" : "low");
  }
  return text;
}

/// The throughput that a prediction is compared with: a workload's is of a log of nccl-tests.
std::string observed_throughput(Source observed, const std::vector<ResultRow>& rows) {
  const bool log = observed == Source::published && rows.front().point->experiment.workload;
  return log ? "the throughput of nccl-tests" : name_of(observed) + std::string(" throughput");
}

std::string sentence(const std::string& observed, const Errors& errors) {
  std::vector<double> sizes;
  for (const double error : errors.relative) sizes.push_back(std::fabs(error));
  std::string text = "Predicted against " + observed + " (" +
                     counted(static_cast<int>(sizes.size()), "point") + "): ";
  if (sizes.size() == 1) {
    text += percent(errors.worst);
  } else {
    text += "median |error| " + percent_size(quantile_of(sizes, 0.5)) + ", 95th percentile " +
            percent_size(quantile_of(sizes, 0.95)) + ", worst " + percent(errors.worst) + " (" +
            errors.where + ")" + bias_of(errors.relative);
  }
  text += apart(errors);
  return text + "." + (errors.bases > 0 ? " " : "") + calibration_note(errors.bases);
}

}  // namespace

bool sets_the_cost(const ResultRow& predicted, const ResultRow& observed) {
  if (observed.source != Source::published || predicted.layer_times != "published") return false;
  const ExperimentPoint& point = *observed.point;
  if (point.own_row && point.published) return point.own_row->line == point.published->line;
  return point.experiment.workers == 1;
}

std::string calibration_note(std::size_t rows) {
  if (rows == 0) return "";
  return counted(rows, "row") + (rows == 1 ? " sets" : " set") + " the cost of arithmetic and " +
         (rows == 1 ? "is" : "are") + " not counted.";
}

std::vector<std::string> agreement(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  std::vector<std::string> sentences;
  for (const Source observed : {Source::measured, Source::published}) {
    const Errors errors = errors_against(observed, rows, labels);
    if (errors.relative.empty()) continue;
    sentences.push_back(sentence(observed_throughput(observed, rows), errors));
    if (errors.injected.empty()) continue;
    const double share = quantile_of(errors.injected, 0.5);
    if (share < 0.01) continue;
    sentences.push_back("Of a mini-batch's measured time, " + significant(100 * share, 2) +
                        " % is injected straggler delay (median over points), which prediction "
                        "and measurement share: agreement on it proves nothing.");
  }
  return sentences;
}

}  // namespace paceline
