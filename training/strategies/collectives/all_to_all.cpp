// SPDX-License-Identifier: MIT
// Pairwise all-to-all, P ranks, n bytes: in step s = 1..P-1 rank r sends part r+s to rank r+s, and
// receives from rank r-s what becomes its part r-s. As in MPI the result is not in the buffer that
// is sent: parts stay where they land, each in the place of its sender, and a rank's own part,
// which goes nowhere, stays in the buffer. Steps: P-1. Bytes sent per rank: (P-1)/P n. Time: (P-1)
// alpha + (P-1)/P n beta.
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

class PairwiseAllToAll final : public CollectiveSchedule {
 public:
  explicit PairwiseAllToAll(int ranks) : ranks_(ranks) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return ranks_; }
  std::int32_t landings() const override { return ranks_; }
  int steps() const override { return ranks_ - 1; }
  ScheduleStep at(int rank, int step, int) const override {
    const int from = (rank + ranks_ - 1 - step) % ranks_;
    ScheduleStep transfer;
    transfer.to = (rank + 1 + step) % ranks_;
    transfer.out = {transfer.to, transfer.to + 1};
    transfer.from = from;
    transfer.in = {from, from + 1};
    transfer.arrival = Arrival::stays;
    transfer.landing = from;
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
