// SPDX-License-Identifier: MIT
// Pairwise all-to-all, P ranks, n bytes: in step s = 1..P-1 rank r sends part r+s to rank r+s, and
// receives from rank r-s what becomes its part r-s. A part arrives before its predecessor has been
// sent, so all land first and are taken at the end.
// Steps: P-1. Bytes sent per rank: (P-1)/P n. Time: (P-1) alpha + (P-1)/P n (beta + gamma), gamma
// for the copy out of the landing.
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

class PairwiseAllToAll final : public CollectiveSchedule {
 public:
  explicit PairwiseAllToAll(int ranks) : ranks_(ranks) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return ranks_; }
  std::int32_t landings() const override { return ranks_; }
  int steps() const override { return 2 * (ranks_ - 1); }
  ScheduleStep at(int rank, int step, int) const override {
    const bool travels = step < ranks_ - 1;
    const int distance = 1 + (travels ? step : step - (ranks_ - 1));
    const int from = (rank + ranks_ - distance) % ranks_;
    ScheduleStep transfer;
    transfer.in = {from, from + 1};
    transfer.landing = from;
    transfer.arrival = travels ? Arrival::stays : Arrival::is_taken;
    if (!travels) return transfer;
    transfer.from = from;
    transfer.to = (rank + distance) % ranks_;
    transfer.out = {transfer.to, transfer.to + 1};
    return transfer;
  }

 private:
  int ranks_;
};

}  // namespace

SharedSchedule pairwise_all_to_all(int ranks) {
  return std::make_shared<PairwiseAllToAll>(ranks);
}

}  // namespace paceline
