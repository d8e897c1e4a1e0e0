// SPDX-License-Identifier: MIT
#include "cli/published_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/agreement.hpp"
#include "sim/costs/calibrating_row.hpp"

namespace paceline {
namespace {

/// The published throughput of a worker where one works, or the fewest, for perfect scaling.
std::optional<double> one_worker(const ExperimentFile& file, const ExperimentPoint& point) {
  if (const auto row = calibrating_row(point)) return row->throughput;
  for (const ExperimentPoint& other : file.points) {
    if (other.experiment.workers != 1 || !other.published) continue;
    const bool same = std::equal(
        other.swept.begin(), other.swept.end(), point.swept.begin(), point.swept.end(),
        [](const auto& a, const auto& b) { return a.path == "workers" || a.value == b.value; });
    if (same) return other.published->throughput;
  }
  return std::nullopt;
}

/// `number`: of the row among the file's, from 1.
bool is_fitted(const ExperimentPoint& point, std::size_t number) {
  switch (point.experiment.published->fitted) {
    case FittedRows::none:
      return false;
    case FittedRows::odd:
      return number % 2 == 1;
    case FittedRows::all:
      break;
  }
  return true;
}

/// The rank of each value, from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double v) { return v < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

std::vector<double> sizes_of(std::vector<double> errors) {
  for (double& error : errors) error = std::fabs(error);
  return errors;
}

}  // namespace

std::vector<PublishedCheck> checks_of(const ExperimentFile& file,
                                      const std::vector<ResultRow>& rows) {
  std::vector<PublishedCheck> checks;
  const ResultRow* predicted = nullptr;
  for (const ResultRow& row : rows) {
    if (row.source == Source::predicted) predicted = &row;
    if (row.source != Source::published || predicted == nullptr || predicted->index != row.index) {
      continue;
    }
    PublishedCheck check;
    check.point = row.point;
    check.calibration = sets_the_cost(*predicted, row);
    check.in_sample = is_fitted(*row.point, checks.size() + 1);
    check.published = row.point->published->throughput;
    check.predicted = predicted->measurement.throughput.value_or(0);
    if (check.predicted > 0) check.error = check.predicted / check.published - 1;
    check.source = predicted->layer_times;
    const int workers = row.point->experiment.workers;
    const std::optional<double> base = one_worker(file, *row.point);
    if (base && workers > 1) check.perfect = workers * *base / check.published - 1;
    checks.push_back(std::move(check));
  }
  return checks;
}

CheckStatistics statistics_of(const std::vector<PublishedCheck>& checks, Sample sample) {
  std::vector<double> errors, perfect, published, predicted;
  for (const PublishedCheck& check : checks) {
    const bool wanted = sample == Sample::all || check.in_sample == (sample == Sample::inside);
    if (!check.counted() || !wanted) continue;
    errors.push_back(*check.error);
    published.push_back(check.published);
    predicted.push_back(check.predicted);
    if (check.perfect) perfect.push_back(*check.perfect);
  }
  CheckStatistics statistics;
  statistics.rows = errors.size();
  statistics.perfect_rows = perfect.size();
  if (!errors.empty()) {
    statistics.bias = quantile_of(errors, 0.5);
    statistics.median = quantile_of(sizes_of(errors), 0.5);
    statistics.p95 = quantile_of(sizes_of(errors), 0.95);
  }
  if (errors.size() >= 3) statistics.rank = rank_correlation(published, predicted);
  if (!perfect.empty()) {
    statistics.perfect_median = quantile_of(sizes_of(perfect), 0.5);
    statistics.perfect_p95 = quantile_of(sizes_of(perfect), 0.95);
  }
  return statistics;
}

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const std::vector<double> a = ranks_of(one), b = ranks_of(other);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double covariance = 0, variance_a = 0, variance_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    covariance += (a[i] - mean) * (b[i] - mean);
    variance_a += (a[i] - mean) * (a[i] - mean);
    variance_b += (b[i] - mean) * (b[i] - mean);
  }
  const double scale = std::sqrt(variance_a * variance_b);
  return scale > 0 ? covariance / scale : 0;
}

}  // namespace paceline
