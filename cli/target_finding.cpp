// SPDX-License-Identifier: MIT
#include "cli/target_finding.hpp"

#include <algorithm>

#include "cli/comparison.hpp"
#include "cli/shown_quantity.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

/// A point's mini-batches of an update, and the rate that the schedule ends with for those.
struct UpdateSize {
  int mini_batches = 0;
  double rate = 0;

  explicit UpdateSize(const ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    const Rule rule = (*experiment.update)->rule(experiment.workers);
    // local steps each are an update by one mini-batch
    mini_batches = rule.gradients * rule.accumulate;
    const Optimizer& optimizer = *experiment.optimizer;
    constexpr double kEnd = 1e12;  // rounds and epochs, beyond every warm-up
    rate = optimizer.schedule->rate(
        1, {kEnd, kEnd, static_cast<double>(mini_batches) * experiment.batch});
  }
};

/// Why the comparison may be one of learning rates; "" if their rates follow the updates' sizes.
std::string on_rates(const ComparedPoint& first, const ComparedPoint& other) {
  const ExperimentPoint& a = *first.row->point;
  const ExperimentPoint& b = *other.row->point;
  if (!a.experiment.update || !b.experiment.update) return "";
  const UpdateSize one(a), two(b);
  if (one.mini_batches == two.mini_batches || one.rate != two.rate) return "";
  const auto [fewer, more] = std::minmax(one.mini_batches, two.mini_batches);
  return " An update of " + std::to_string(fewer) + " and one of " + std::to_string(more) +
         " mini-batches have the same learning rate, so that a mini-batch counts differently "
         "(schedule: linear-scaling gives each the same).";
}

}  // namespace

std::string target_finding(const ComparedGroup& group) {
  const ComparedPoint* first = nullptr;
  const ComparedPoint* with_default = nullptr;
  std::size_t reached = 0;
  for (const std::vector<ComparedPoint>* entries : {&group.entries, &group.diverged}) {
    for (const ComparedPoint& entry : *entries) {
      const auto& time = entry.row->measurement.time_to_target;
      if (!time) continue;
      ++reached;
      if (first == nullptr || *time < *first->row->measurement.time_to_target) first = &entry;
    }
  }
  const ResultRow& any = *(group.entries.empty() ? group.diverged : group.entries).front().row;
  const std::string target = target_of(any);
  if (target.empty()) return "";
  const bool repeated = any.point->experiment.repeats > 1;
  const std::size_t points = group.entries.size() + group.diverged.size();
  const std::string of_points = " of " + counted(points, "point");
  const std::string ending = group.diverged.empty() ? "."
                                                    : "; " + std::to_string(group.diverged.size()) +
                                                          of_points + " diverged.";
  if (first == nullptr) {
    return "No point reaches the target (" + target +
           (repeated ? ") in every repeat" : ") in its steps") + ending;
  }
  for (const ComparedPoint& entry : group.entries) {
    const bool plain = entry.has_default_update() && entry.workers == first->workers;
    if (plain && entry.row->measurement.time_to_target) with_default = &entry;
  }
  const double best = *first->row->measurement.time_to_target;
  std::string rates;
  std::string text = "The target (" + target + ") is reached first " +
                     (first->choice.empty() ? "" : "by " + first->choice + " ") + "with " +
                     counted(first->workers, "worker") + ", after " + shown(Seconds{best});
  if (with_default != nullptr && with_default != first) {
    const double other = *with_default->row->measurement.time_to_target;
    text += "; " + with_default->choice + " takes " + shown(Seconds{other}) + " (" +
            ratio_text(other / best) + ")";
    rates = on_rates(*first, *with_default);
  }
  if (reached < points) {
    text += "; " + std::to_string(points - reached) + of_points +
            (repeated ? " do not reach it in every repeat" : " never reach it");
  }
  return text + ending + rates;
}

}  // namespace paceline
