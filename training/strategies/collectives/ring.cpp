// SPDX-License-Identifier: MIT
// Ring (Patarasuk & Yuan 2009), P ranks, n bytes:
//   1. reduce-scatter: in step s = 0..P-2 rank r sends part r-s to r+1, which adds it to its own;
//      after P-1 steps rank r has the whole sum of part r+1.
//   2. all-gather: in step s = 0..P-2 rank r sends part r+1-s on; r+1 takes it as it is.
// Steps: 2(P-1). Bytes sent per rank: 2(P-1)/P n. Time: 2(P-1) alpha + 2(P-1)/P n beta
// + (P-1)/P n gamma.
#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {
namespace {

class Ring final : public CollectiveSchedule {
 public:
  /// \param sums, gathers whether it has the first phase, and the second
  Ring(int ranks, int owned, bool sums, bool gathers)
      : ranks_(ranks),
        owned_(owned),
        summing_steps_(sums ? ranks - 1 : 0),
        steps_(summing_steps_ + (gathers ? ranks - 1 : 0)) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return ranks_; }
  std::int32_t landings() const override { return summing_steps_ > 0 ? ranks_ : 0; }
  int steps() const override { return steps_; }
  ScheduleStep at(int rank, int step, int) const override {
    const bool sums = step < summing_steps_;
    // a rank ends the first phase with the part that it begins the second with
    const int out = sums ? rank + owned_ - 1 - step : rank + owned_ - (step - summing_steps_);
    ScheduleStep transfer;
    transfer.to = rank + 1 == ranks_ ? 0 : rank + 1;
    transfer.out = part(out);
    transfer.from = rank == 0 ? ranks_ - 1 : rank - 1;
    transfer.in = part(out - 1);
    if (sums) transfer.arrival = Arrival::adds;
    transfer.landing = transfer.in.first;
    return transfer;
  }
  std::optional<UniformStep> uniform(int step) const override {
    return UniformStep{1, 1, step < summing_steps_ ? Arrival::adds : Arrival::replaces};
  }

 private:
  /// Of a number from -P to 2P - 1.
  Parts part(int number) const {
    const int first = number < 0 ? number + ranks_ : number >= ranks_ ? number - ranks_ : number;
    return {first, first + 1};
  }

  int ranks_, owned_, summing_steps_, steps_;
};

}  // namespace

SharedSchedule ring_reduce_scatter(int ranks, int owned) {
  return std::make_shared<Ring>(ranks, owned, true, false);
}
SharedSchedule ring_all_gather(int ranks, int owned) {
  return std::make_shared<Ring>(ranks, owned, false, true);
}
SharedSchedule ring(int ranks) {
  return std::make_shared<Ring>(ranks, 1, true, true);
}

Variant<AllReduce> ring_all_reduce() {
  return variant<ScheduledAllReduce<ring>, AllReduce>("ring",
                                                      "parts travel around a ring, 2(P-1) steps");
}

}  // namespace paceline
