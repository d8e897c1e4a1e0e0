// SPDX-License-Identifier: MIT
#include "cli/slow_workers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

constexpr double kSlower = 1.2;  // than the median
constexpr double kSure = 3;      // standard errors by which the mean is above the median
constexpr std::size_t kMostNamed = 3;

/// The mean of a worker's own mini-batches, and its standard error; in seconds. The error of a
/// single mini-batch is unknown: infinite.
struct OwnTime {
  double mean = 0, error = 0;
};

OwnTime own_time(const std::map<std::int64_t, double>& steps) {
  if (steps.empty()) return {};
  const auto count = static_cast<double>(steps.size());
  OwnTime own;
  for (const auto& [step, seconds] : steps) own.mean += seconds / count;
  double squares = 0;
  for (const auto& [step, seconds] : steps) squares += std::pow(seconds - own.mean, 2);
  own.error = count > 1 ? std::sqrt(squares / (count - 1) / count)
                        : std::numeric_limits<double>::infinity();
  return own;
}

/// The times of each worker: arithmetic and delays, without its waits for others.
std::vector<OwnTime> own_times(const Trace& trace) {
  std::vector<std::map<std::int64_t, double>> steps(static_cast<std::size_t>(trace.workers));
  for (const Span& span : trace.spans) {
    const bool own = span.kind == SpanKind::compute || span.kind == SpanKind::delay;
    if (!own || span.work.worker < 0 || span.work.worker >= trace.workers) continue;
    steps[static_cast<std::size_t>(span.work.worker)][span.work.step] +=
        (span.end - span.begin).value();
  }
  std::vector<OwnTime> own;
  for (const auto& each : steps) own.push_back(own_time(each));
  return own;
}

}  // namespace

std::vector<int> slow_workers(const Trace& trace) {
  const std::vector<OwnTime> own = own_times(trace);
  std::vector<int> slow;
  if (own.size() < 2) return slow;
  std::vector<double> sorted;
  for (const OwnTime& each : own) sorted.push_back(each.mean);
  std::ranges::sort(sorted);
  const double median = sorted[(sorted.size() - 1) / 2];
  for (std::size_t worker = 0; worker < own.size(); ++worker) {
    const auto [mean, error] = own[worker];
    if (mean > kSlower * median && mean > median + kSure * error) {
      slow.push_back(static_cast<int>(worker));
    }
  }
  if (2 * slow.size() > own.size()) slow.clear();
  return slow;
}

std::string names_of_workers(const std::vector<int>& workers) {
  const std::size_t named = std::min(workers.size(), kMostNamed);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < named; ++i) names.push_back(std::to_string(workers[i]));
  if (named < workers.size()) names.push_back(std::to_string(workers.size() - named) + " more");
  std::string text = workers.size() == 1 ? "worker " : "workers ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return text;
}

}  // namespace paceline
