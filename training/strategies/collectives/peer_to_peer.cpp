// SPDX-License-Identifier: MIT
// Peer to peer, P ranks, n bytes: in step s = 1..P-1 rank r sends its whole slice to rank r+s, and
// receives that of rank r-s, which lands. Once all is sent and has come, each rank adds it up.
// Steps: P-1. Bytes sent per rank: (P-1) n. Time: (P-1) (alpha + n beta + n gamma).
#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {
namespace {

class PeerToPeer final : public CollectiveSchedule {
 public:
  explicit PeerToPeer(int ranks) : ranks_(ranks) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return 1; }
  std::int32_t landings() const override { return ranks_ - 1; }
  bool overtakes() const override { return true; }
  int steps() const override { return 2 * (ranks_ - 1); }
  ScheduleStep at(int rank, int step, int) const override {
    const bool travels = step < ranks_ - 1;
    const int distance = 1 + (travels ? step : step - (ranks_ - 1));
    ScheduleStep transfer;
    transfer.in = {0, 1};
    transfer.landing = distance - 1;
    transfer.arrival = travels ? Arrival::stays : Arrival::is_added;
    if (!travels) return transfer;
    transfer.from = (rank + ranks_ - distance) % ranks_;
    transfer.to = (rank + distance) % ranks_;
    transfer.out = {0, 1};
    return transfer;
  }

 private:
  int ranks_;
};

}  // namespace

SharedSchedule peer_to_peer(int ranks) {
  return std::make_shared<PeerToPeer>(ranks);
}

Variant<AllReduce> peer_to_peer_all_reduce() {
  return variant<ScheduledAllReduce<peer_to_peer>, AllReduce>(
      "peer-to-peer", "each rank sends all it has to every other");
}

}  // namespace paceline
