// SPDX-License-Identifier: MIT
// The bytes that each GPU and each computer sends, counted by hand.
#include "sim/nccl/call_flows.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

constexpr double kBytes = 1e6;

/// Rings 0..P-1 and back, over computers of `gpus` each.
struct Cluster {
  Cluster(int count, int gpus) {
    for (int rank = 0; rank < count * gpus; ++rank) {
      computers.push_back(rank / gpus);
      order.push_back(rank);
    }
    rings.rings = {order, order};
  }
  RankPlaces places() const { return {rings, computers, static_cast<int>(order.size())}; }
  /// Bytes that leave a computer.
  double sent_by(int computer, const std::vector<LibraryFlow>& flows) const {
    double sum = 0;
    for (const LibraryFlow& flow : flows) {
      const bool leaves = computers[static_cast<std::size_t>(flow.from)] == computer &&
                          computers[static_cast<std::size_t>(flow.to)] != computer;
      if (leaves) sum += flow.bytes;
    }
    return sum;
  }
  NcclRings rings;
  std::vector<int> computers, order;
};

TEST(CallFlowsTest, ATreeOfTwoComputersCarriesTheBytesOnceEachWay) {
  const Cluster two(2, 4);
  const auto flows = tree_flows(two.places(), kBytes);
  EXPECT_DOUBLE_EQ(two.sent_by(0, flows), kBytes);
  EXPECT_DOUBLE_EQ(two.sent_by(1, flows), kBytes);
  // a ring sends 2 x 7 parts of eight
  const auto ring = ring_flows(two.places(), Operation::all_reduce, kBytes * 14 / 8);
  EXPECT_DOUBLE_EQ(two.sent_by(0, ring), kBytes * 14 / 8);
}

TEST(CallFlowsTest, TreesOfManyComputersCarryTheBytesUpAndDown) {
  const Cluster eight(8, 2);
  const auto flows = tree_flows(eight.places(), kBytes);
  double all = 0;
  for (int computer = 0; computer < 8; ++computer) {
    const double sent = eight.sent_by(computer, flows);
    EXPECT_LE(sent, 2 * kBytes * (1 + 1e-12)) << computer;
    all += sent;
  }
  // each tree has seven edges of half the bytes, which go both ways
  EXPECT_DOUBLE_EQ(all, 2 * 7 * 2 * kBytes / 2);
}

TEST(CallFlowsTest, SwitchesThatSumBetweenComputersTakeTheBytesOnce) {
  const Cluster eight(8, 2);
  for (int computer = 0; computer < 8; ++computer) {
    EXPECT_DOUBLE_EQ(eight.sent_by(computer, collnet_flows(eight.places(), kBytes)), kBytes);
    EXPECT_DOUBLE_EQ(eight.sent_by(computer, nvls_flows(eight.places(), kBytes, false, 1)), kBytes);
  }
}

TEST(CallFlowsTest, AChainOfAComputerCarriesTheBytesBothWays) {
  const Cluster one(1, 4);
  const auto flows = tree_flows(one.places(), kBytes);
  double from_first = 0;
  for (const LibraryFlow& flow : flows) from_first += flow.from == 0 ? flow.bytes : 0;
  EXPECT_DOUBLE_EQ(from_first, kBytes);
  EXPECT_EQ(flows.size(), 2U * 2 * 3) << "two rings, three edges, two ways";
}

TEST(CallFlowsTest, SwitchesInAComputerTakeTheBytesAndOnePart) {
  const Cluster two(2, 4);
  double inside = 0;
  for (const LibraryFlow& flow : nvls_flows(two.places(), kBytes, true, 0.8)) {
    if (flow.from == 0 && two.computers[static_cast<std::size_t>(flow.to)] == 0)
      inside += flow.bytes;
  }
  EXPECT_DOUBLE_EQ(inside, kBytes * 1.25 / 0.8);
}

}  // namespace
}  // namespace paceline
