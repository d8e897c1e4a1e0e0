// SPDX-License-Identifier: MIT
#include "sim/lanes/run_in_lanes.hpp"

#include <algorithm>

#include "sim/lanes/lane_count.hpp"
#include "sim/lanes/lane_links.hpp"
#include "sim/lanes/lane_machine.hpp"
#include "sim/lanes/one_program.hpp"
#include "sim/lanes/shared_links.hpp"

namespace paceline {
namespace {

/// Whether the workers meet only in calls of a schedule or of the collective library.
bool meet_in_calls(const Prediction& prediction, const Plan& plan) {
  const bool observed = plan.observer != nullptr && plan.observer->observes_steps();
  const bool alone = prediction.beside.empty() && !observed && !prediction.by_events;
  const bool of_all = plan.schedule == nullptr || plan.schedule->ranks() == plan.workers;
  return alone && one_program(prediction.point->experiment, plan) &&
         prediction.costs.own_processors() && of_all;
}

/// A run with a lane for each worker, or for each that others are equal to.
class LaneRun {
 public:
  /// The arguments must outlive this.
  LaneRun(const Prediction& prediction, const Plan& plan, const Costs& costs)
      : prediction_(prediction),
        plan_(plan),
        costs_(costs),
        links_(*prediction.machine, prediction.vertices),
        shared_(*prediction.machine, prediction.vertices, links_),
        link_costs_(costs_of_schedule(plan, costs)) {
    link_costs_.link = [this](int from, int to) { return links_.link(from, to); };
  }
  LaneRun(const LaneRun&) = delete;
  LaneRun& operator=(const LaneRun&) = delete;

  /// Whether each rank has its links to itself, or no shared link is ever full, or all ranks send
  /// together. A call of the library makes the layers longer that begin before its end: their
  /// launches may not wait for each other.
  bool suits() {
    if (plan_.schedule == nullptr) return !costs_.launches_together();
    if (plan_.schedule->side_by_side()) return false;  // its copies share links with each other
    if (links_.suits(*plan_.schedule)) return true;
    const Phases* const phases = plan_.schedule->phases();
    if (phases != nullptr && shared_.suits(*phases))
      return !plan_.draws_extremes() || !shared_.could_be_full();
    return !draws_delays(plan_) && costs_fold(plan_, costs_, 1) &&
           links_.suits_together(*plan_.schedule);
  }

  std::string against_extremes() {
    return more_than_last_counts(plan_, costs_, link_costs_,
                                 least_lanes(plan_, costs_, link_costs_));
  }

  std::size_t run() {
    if (plan_.draws_extremes()) return run_of_last();
    const bool folds =
        plan_.observer != nullptr && plan_.observer->takes_equal_workers() && !draws_delays(plan_);
    const int lanes = folds ? lanes_of_equal() : plan_.workers;
    return may_meet(lanes) ? 0 : run(plan_, lanes);
  }

 private:
  /// Whether copies of several ranks may overlap on a link without the capacity for all of them.
  bool may_meet(int lanes) {
    if (!shared_.could_be_full()) return false;
    if (!shared_.within_blocks(lanes)) return true;
    Plan unobserved = plan_;
    unobserved.observer = nullptr;
    link_costs_.watch = [this](int from, int to, std::int64_t begin_ps, std::int64_t end_ps) {
      shared_.note(from, to, begin_ps, end_ps);
    };
    run(unobserved, lanes);
    link_costs_.watch = {};
    return shared_.met();
  }
  int lanes_of_equal() const {
    if (plan_.schedule != nullptr) return least_lanes(plan_, costs_, link_costs_);
    return costs_fold(plan_, costs_, 1) ? 1 : plan_.workers;
  }
  /// Each lane is as late as the last of the workers that it stands for.
  std::size_t run_of_last() {
    const int lanes = least_lanes(plan_, costs_, link_costs_);
    const bool takes = plan_.observer == nullptr || plan_.observer->takes_equal_workers();
    if (!takes || !more_than_last_counts(plan_, costs_, link_costs_, lanes).empty()) return 0;
    Plan last = plan_;
    const auto of_lane = [each = plan_.workers / lanes](const auto& longest) -> LaneDraw {
      if (!longest) return {};
      return [&longest, each](RoleId worker, std::int64_t step) {
        return longest(worker, step, each);
      };
    };
    last.delay = of_lane(plan_.longest_delay);
    last.link_delay = of_lane(plan_.longest_link_delay);
    return run(last, lanes);
  }

  std::size_t run(const Plan& plan, int lanes) {
    LaneMachine machine(*prediction_.machine, costs_, link_costs_, prediction_.vertices, plan,
                        static_cast<std::size_t>(lanes));
    const Plan all = machine.plan_of_all();
    machine.run(prediction_.point->experiment.aggregation->program(all, machine, 0));
    return static_cast<std::size_t>(lanes);
  }

  const Prediction& prediction_;
  const Plan& plan_;
  const Costs& costs_;
  LaneLinks links_;
  SharedLinks shared_;
  ScheduleCosts link_costs_;
};

}  // namespace

std::size_t run_in_lanes(const Prediction& prediction, const Plan& plan, std::uint32_t repeat) {
  if (!meet_in_calls(prediction, plan)) return 0;
  const Costs costs = prediction.costs_of(repeat);
  LaneRun run(prediction, plan, costs);
  return run.suits() ? run.run() : 0;
}

std::string against_extremes(const Prediction& prediction) {
  const Plan plan = prediction.plan_of(0, nullptr);
  if (!plan.draws_extremes()) return "";
  LaneRun run(prediction, plan, prediction.costs);
  return meet_in_calls(prediction, plan) && run.suits()
             ? run.against_extremes()
             : "workers share links or processors, or do more than to all-reduce";
}

}  // namespace paceline
