// SPDX-License-Identifier: MIT
// Binomial tree (Thakur, Rabenseifner & Gropp 2005), P ranks, q = ceil(log2 P), n bytes:
//   reduce:    in step s = 0..q-1 each rank with bit s as its lowest bit set gives its slice to the
//              rank without that bit, which adds it. Rank 0 has the sum.
//   broadcast: the same steps backwards, from rank 0.
// Steps: q. Time: q (alpha + n beta); of a reduce with P = 2^q ranks q (alpha + n beta + n gamma).
#include <bit>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

class BinomialTree final : public CollectiveSchedule {
 public:
  BinomialTree(int ranks, bool sums)
      : ranks_(ranks), steps_(std::bit_width(static_cast<unsigned>(ranks - 1))), sums_(sums) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return 1; }
  std::int32_t landings() const override { return sums_ ? steps_ : 0; }
  int steps() const override { return steps_; }

  ScheduleStep at(int rank, int step, int) const override {
    const int bit = sums_ ? step : steps_ - 1 - step;
    const int distance = 1 << bit;
    ScheduleStep transfer;
    if (rank % distance != 0) return transfer;
    const bool lower = rank % (2 * distance) == 0;
    if (lower && rank + distance >= ranks_) return transfer;
    const int partner = lower ? rank + distance : rank - distance;
    if (lower == sums_) {
      transfer.from = partner;
      transfer.in = {0, 1};
      if (sums_) transfer.arrival = Arrival::adds;
      transfer.landing = bit;
    } else {
      transfer.to = partner;
      transfer.out = {0, 1};
    }
    return transfer;
  }

 private:
  int ranks_, steps_;
  bool sums_;
};

}  // namespace

SharedSchedule binomial_reduce(int ranks) {
  return std::make_shared<BinomialTree>(ranks, true);
}
SharedSchedule binomial_broadcast(int ranks) {
  return std::make_shared<BinomialTree>(ranks, false);
}

}  // namespace paceline
