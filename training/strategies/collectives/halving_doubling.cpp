// SPDX-License-Identifier: MIT
// Halving-doubling (Thakur, Rabenseifner & Gropp 2005), P = 2^q ranks, n bytes:
//   1. reduce-scatter: in step s = 0..q-1 rank r exchanges half of what it still sums with rank
//      r xor 2^s: n/2, n/4, ..., the largest with the nearest rank.
//   2. all-gather: the same steps backwards; what a rank has doubles with each.
// Steps: 2q. Bytes sent per rank: 2(P-1)/P n. Time: 2q alpha + 2(P-1)/P n beta + (P-1)/P n gamma.
// Where P is no power of two, as many pairs of ranks as are over it begin with a step in which the
// first gives its whole slice to the second, and end with one in which it gets the sum: two steps
// and 2 n more on the wire of these ranks, of which there is no closed form.
#include <bit>

#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {
namespace {

class HalvingDoubling final : public CollectiveSchedule {
 public:
  explicit HalvingDoubling(int ranks)
      : ranks_(ranks),
        power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        halvings_(std::bit_width(static_cast<unsigned>(ranks)) - 1),
        over_(ranks - power_) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return power_; }
  std::int32_t landings() const override { return power_ - 1 + (over_ > 0 ? power_ : 0); }
  int steps() const override { return 2 * halvings_ + (over_ > 0 ? 2 : 0); }

  ScheduleStep at(int rank, int step, int) const override {
    if (over_ > 0) {
      if (step == 0 || step == steps() - 1) return with_partner(rank, step == 0);
      --step;
      if (is_over(rank)) return {};
    }
    const int place = rank < 2 * over_ ? rank / 2 : rank - over_;
    const bool halves = step < halvings_;
    const int bit = halves ? step : 2 * halvings_ - 1 - step;
    const int partner = place ^ (1 << bit);
    // what `place` sums or has after the halving of this bit
    const Parts mine = parts_after(place, bit);
    const Parts other = parts_after(partner, bit);
    ScheduleStep transfer;
    transfer.to = transfer.from = rank_at(partner);
    transfer.out = halves ? other : mine;
    transfer.in = halves ? mine : other;
    if (halves) transfer.arrival = Arrival::adds;
    transfer.landing = power_ - (power_ >> bit) + (over_ > 0 ? power_ : 0);
    return transfer;
  }

 private:
  /// Ranks 0, 2, .. below twice the surplus take no part in the halving.
  bool is_over(int rank) const { return rank < 2 * over_ && rank % 2 == 0; }
  int rank_at(int place) const { return place < over_ ? 2 * place + 1 : place + over_; }
  Parts parts_after(int place, int bit) const {
    std::int32_t first = 0;
    for (int s = 0; s <= bit; ++s) {
      if ((place >> s) % 2 == 1) first += power_ >> (s + 1);
    }
    return {first, first + (power_ >> (bit + 1))};
  }
  ScheduleStep with_partner(int rank, bool first) const {
    if (rank >= 2 * over_) return {};
    ScheduleStep transfer;
    const Parts all{0, power_};
    if (is_over(rank) == first) {
      transfer.to = rank ^ 1;
      transfer.out = all;
    } else {
      transfer.from = rank ^ 1;
      transfer.in = all;
      if (first) transfer.arrival = Arrival::adds;
    }
    return transfer;
  }

  int ranks_, power_, halvings_, over_;
};

}  // namespace

SharedSchedule halving_doubling(int ranks) {
  return std::make_shared<HalvingDoubling>(ranks);
}

Variant<AllReduce> halving_doubling_all_reduce() {
  return variant<ScheduledAllReduce<halving_doubling>, AllReduce>(
      "halving-doubling", "halves are exchanged, then doubled, 2 log2 P steps");
}

}  // namespace paceline
