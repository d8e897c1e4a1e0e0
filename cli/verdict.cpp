// SPDX-License-Identifier: MIT
#include "cli/verdict.hpp"

#include <algorithm>

#include "cli/text_table.hpp"

namespace paceline {
namespace {

constexpr double kBound = 0.9;         // busy share above which a resource bounds the throughput
constexpr double kWorthSaying = 1e-3;  // relative change of throughput
constexpr double kWorthNaming = 0.2;   // least share of a step that waits for slow workers

/// "is" or "are": the host's cores are plural.
const char* is(const SharedResource& resource) {
  return resource.kind == SharedResource::Kind::cores && resource.name.ends_with("cores") ? " are "
                                                                                          : " is ";
}

std::string bound_by(const SharedResource& resource) {
  const std::string busy = resource.name + is(resource) + "busy " + percent_of(resource.busy, 1);
  switch (resource.kind) {
    case SharedResource::Kind::server:
      return "server-bound: " + busy;
    case SharedResource::Kind::link:
      return "link-bound: " + busy;
    case SharedResource::Kind::cores:
      return "compute-bound: " + busy;
    case SharedResource::Kind::launches:
      break;
  }
  return "launch-bound: " + busy;
}

/// The bound given by the longest part of a worker's step. A few slow workers bound it if the wait
/// for them is the longest part beside the workers' own arithmetic and delays.
std::string bound_by_step(const std::vector<StepPart>& parts, const std::vector<int>& slow) {
  double whole = 0, waiting = 0, others = 0;
  const StepPart* most = nullptr;
  for (const StepPart& part : parts) {
    whole += part.seconds;
    if (most == nullptr || part.seconds > most->seconds) most = &part;
    if (part.kind == StepPart::Kind::workers) waiting = part.seconds;
    if (part.kind == StepPart::Kind::other) others = std::max(others, part.seconds);
  }
  if (!slow.empty() && waiting >= kWorthNaming * whole && waiting >= others) {
    return "straggler-bound: " + names_of_workers(slow) +
           (slow.size() == 1 ? " costs " : " cost ") + percent_of(waiting, whole) +
           " of a step, in which the others wait";
  }
  return std::string(most->bound) + ": " + percent_of(most->seconds, whole) + most->is;
}

/// The bound: a saturated resource, or else the longest part of the step.
std::string bound(const std::vector<StepPart>& parts, const std::vector<int>& slow,
                  const std::vector<SharedResource>& busy) {
  return !busy.empty() && busy.front().busy >= kBound ? bound_by(busy.front())
                                                      : bound_by_step(parts, slow);
}

std::string load(const ExperimentPoint& point, const std::vector<SharedResource>& busy,
                 const Saturation& saturation) {
  using End = Saturation::End;
  const bool resource_bound = !busy.empty() && busy.front().busy >= kBound;
  const bool later = saturation.workers > point.experiment.workers;
  const std::string sentence = sentence_of(saturation, point);
  std::string text;
  // the server is shown first, even if a link is busier
  auto shown = std::find_if(busy.begin(), busy.end(), [](const SharedResource& one) {
    return one.kind == SharedResource::Kind::server;
  });
  if (shown == busy.end()) shown = busy.begin();
  const bool busy_known = shown != busy.end() && !(resource_bound && shown == busy.begin());
  if (busy_known) text = "; " + shown->name + is(*shown) + "busy " + percent_of(shown->busy, 1);
  if (saturation.end == End::found && !later) {
    if (saturation.workers == 1 || saturation.resource_at > 0) return text + "; " + sentence;
    const std::string& name = saturation.resource.name;
    const bool same =
        busy_known ? name == shown->name : resource_bound && name == busy.front().name;
    return text + (same ? " and" : "; " + name) + is(saturation.resource) + "saturated from " +
           std::to_string(saturation.workers) + " workers on";
  }
  if (sentence.empty()) return text;
  const std::string& name = saturation.resource.name;
  if (saturation.end == End::found && busy_known && name == shown->name) {
    return text + " and" + sentence.substr(name.size());
  }
  return text + "; " + sentence;
}

std::string best_change(const std::vector<WhatIf>& changes) {
  const WhatIf* best = nullptr;
  for (const WhatIf& change : changes) {
    if (best == nullptr || change.gain > best->gain) best = &change;
  }
  if (best == nullptr) return "";
  if (best->gain < kWorthSaying) return "; none of the changes tried would add 0.1 %";
  return "; " + best->name + " would add " + significant(100 * best->gain, 2) + " %";
}

}  // namespace

std::string percent_of(double part, double whole) {
  return whole > 0 ? significant(100 * part / whole, 3) + " %" : "";
}

std::string verdict_of(const ExperimentPoint& point, const StepFigures& step,
                       const std::vector<SharedResource>& busy, const Saturation& saturation,
                       const std::vector<WhatIf>& changes) {
  const auto takes_time = [](const StepPart& part) { return part.seconds > 0; };
  if (std::ranges::none_of(step.parts, takes_time) && busy.empty())
    return "nothing bounds the throughput: a step takes no time on " + point.machine_name();
  return bound(step.parts, step.slow, busy) + load(point, busy, saturation) + best_change(changes);
}

}  // namespace paceline
