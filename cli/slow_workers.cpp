// SPDX-License-Identifier: MIT
#include "cli/slow_workers.hpp"

#include <algorithm>
#include <set>

#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

constexpr double kSlower = 1.2;  // than the median
constexpr std::size_t kMostNamed = 3;

/// The seconds of a worker's own mini-batch: arithmetic and delays, not what it waits for.
std::vector<double> own_times(const Trace& trace) {
  std::vector<double> seconds(static_cast<std::size_t>(trace.workers), 0);
  std::vector<std::set<std::int64_t>> steps(seconds.size());
  for (const Span& span : trace.spans) {
    const bool own = span.kind == SpanKind::compute || span.kind == SpanKind::delay;
    if (!own || span.work.worker < 0 || span.work.worker >= trace.workers) continue;
    const auto worker = static_cast<std::size_t>(span.work.worker);
    seconds[worker] += (span.end - span.begin).value();
    steps[worker].insert(span.work.step);
  }
  for (std::size_t worker = 0; worker < seconds.size(); ++worker) {
    if (!steps[worker].empty()) seconds[worker] /= static_cast<double>(steps[worker].size());
  }
  return seconds;
}

}  // namespace

std::vector<int> slow_workers(const Trace& trace) {
  const std::vector<double> own = own_times(trace);
  std::vector<int> slow;
  if (own.size() < 2) return slow;
  std::vector<double> sorted = own;
  std::ranges::sort(sorted);
  const double median = sorted[(sorted.size() - 1) / 2];
  for (std::size_t worker = 0; worker < own.size(); ++worker) {
    if (own[worker] > kSlower * median) slow.push_back(static_cast<int>(worker));
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
