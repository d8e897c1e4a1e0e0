// SPDX-License-Identifier: MIT
// Dissemination barrier (Hensgen, Finkel & Manber 1988), P ranks: in step s each rank sends
// word to rank r + 2^s, and waits for rank r - 2^s.
//   Steps: ceil(log2 P), without data. Time: ceil(log2 P) alpha.
#include <bit>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

class Barrier final : public CollectiveSchedule {
 public:
  explicit Barrier(int ranks)
      : ranks_(ranks), steps_(std::bit_width(static_cast<unsigned>(ranks - 1))) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return 1; }
  int steps() const override { return steps_; }

  ScheduleStep at(int rank, int step, int) const override {
    const int distance = 1 << step;
    ScheduleStep transfer;
    transfer.to = (rank + distance) % ranks_;
    transfer.from = (rank - distance + ranks_) % ranks_;
    return transfer;
  }
  std::optional<UniformStep> uniform(int step) const override {
    return UniformStep{1 << step, 0, Arrival::replaces};
  }

 private:
  int ranks_, steps_;
};

}  // namespace

SharedSchedule barrier(int ranks) {
  return std::make_shared<Barrier>(ranks);
}

}  // namespace paceline
