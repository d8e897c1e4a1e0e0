// SPDX-License-Identifier: MIT
#include "cli/target_finding.hpp"

#include "cli/comparison.hpp"
#include "cli/shown_quantity.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {

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
  std::string text = "The target (" + target + ") is reached first " +
                     (first->choice.empty() ? "" : "by " + first->choice + " ") + "with " +
                     counted(first->workers, "worker") + ", after " + shown(Seconds{best});
  if (with_default != nullptr && with_default != first) {
    const double other = *with_default->row->measurement.time_to_target;
    text += "; " + with_default->choice + " takes " + shown(Seconds{other}) + " (" +
            ratio_text(other / best) + ")";
  }
  if (reached < points) {
    text += "; " + std::to_string(points - reached) + of_points +
            (repeated ? " do not reach it in every repeat" : " never reach it");
  }
  return text + ending;
}

}  // namespace paceline
