// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_count.hpp"

#include <algorithm>

#include "sim/ahead/last_counts.hpp"
#include "sim/ahead/schedule_folding.hpp"
#include "training/strategies/grouping.hpp"

namespace paceline {

bool costs_fold(const Plan& plan, const Costs& costs, int lanes) {
  if (plan.uneven || costs.variation > 0) return false;
  const auto computer_of = [&](int worker) {
    return costs.computers.empty() ? 0 : costs.computers[static_cast<std::size_t>(worker)];
  };
  int computers = 1;  // of a block of as many workers
  for (int worker = 0; worker < lanes; ++worker)
    computers = std::max(computers, computer_of(worker) + 1);
  for (int worker = 0; worker < plan.workers; ++worker) {
    const int first = worker % lanes;
    if (costs.slowdown_of(worker) != costs.slowdown_of(first) ||
        costs.memory_slowdown_of(worker) != costs.memory_slowdown_of(first))
      return false;
    // a thread that launches kernels serves the workers of one computer, and no others
    const int like_first = computer_of(first) + worker / lanes * computers;
    if (costs.launches_together() && computer_of(worker) != like_first) return false;
  }
  return true;
}

namespace {

/// The number of workers on each computer if it is the same everywhere and the workers of a
/// computer are consecutive; else 0.
int workers_of_each(const Plan& plan) {
  const Grouping computers = Grouping::by_host(plan);
  return computers.equal() && !computers.order() ? computers.largest() : 0;
}

}  // namespace

int least_lanes(const Plan& plan, const Costs& costs, const ScheduleCosts& links) {
  for (const int lanes : lanes_to_try(plan.workers, workers_of_each(plan), links)) {
    const bool divides = lanes < plan.workers && plan.workers % lanes == 0;
    const auto width = static_cast<std::size_t>(lanes);
    if (divides && costs_fold(plan, costs, lanes) && folds_to(*plan.schedule, links, width))
      return lanes;
  }
  return plan.workers;
}

namespace {

/// Bytes of a part of the smallest bucket.
double smallest_part(const Plan& plan) {
  const auto smaller = [](const Bucket& a, const Bucket& b) {
    return a.slice.bytes < b.slice.bytes;
  };
  const Bucket& smallest = *std::ranges::min_element(plan.cut.buckets, smaller);
  return smallest.slice.bytes / plan.schedule->parts();
}

}  // namespace

std::string more_than_last_counts(const Plan& plan, const Costs& costs, const ScheduleCosts& links,
                                  int lanes) {
  if (costs.variation > 0) return "the software's 'step_variation' is a second draw";
  if (costs.launches_together() && Grouping::by_host(plan).largest() > 1)
    return "one thread launches the kernels of several workers, which 'software: {dispatchers: "
           "gpu}' would not";
  const auto width = static_cast<std::size_t>(lanes);
  if (lanes == plan.workers || !last_counts(*plan.schedule, links, width))
    return "workers, or the links between them, are not equal";
  const std::int64_t longest =
      longest_decision_ps(*plan.schedule, links, width, smallest_part(plan));
  if (links.decision_ps > longest)
    return "a host decides later than its copies end, which a shorter 'decision_latency' would not";
  return "";
}

}  // namespace paceline
