// SPDX-License-Identifier: MIT
/// \file
/// An all-reduce that is a schedule of the number of ranks alone.
#pragma once
#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {

/// The key that all schedules have.
template <class Kind>
void describe_slices(Description<Kind>& d) {
  d.optional("slices", &Kind::slices_key,
             "pieces of a bucket that follow each other through the steps")
      .at_least(1)
      .at_most(1000);
}

/// \tparam make the schedule of a number of ranks
template <SharedSchedule (*make)(int ranks)>
class ScheduledAllReduce final : public AllReduce {
 public:
  int slices_key = 1;

  SharedSchedule schedule(const Plan& plan) const override { return make(plan.workers); }
  int slices(double, int) const override { return slices_key; }
  static void describe(Description<ScheduledAllReduce>& d) { describe_slices(d); }
};

}  // namespace paceline
