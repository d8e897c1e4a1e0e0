// SPDX-License-Identifier: MIT
// Double binary tree (Sanders, Speck & Traeff 2009), P ranks, H = ceil(log2 P):
// The inner nodes of a binary tree are the even ranks, its leaves the odd ones. A second tree has
// its ranks in reverse order (or, where P is odd, each moved on by one), so that a rank is an inner
// node of one of the two and a leaf of the other. Even slices are summed along the first tree, odd
// slices along the second: up to its root, and down again.
//   Steps of a slice: 4 H, two for each level upwards and two for each level downwards; they only
//   give an order, since a rank's copies to different ranks run side by side. A rank has two
//   children in one tree and a parent in both, so that four copies share its link each way.
//   Bytes sent by a rank: about 2 n in all. With S slices of n/S, of which each edge carries half:
//   Time: about (S/2 + 2 H) (alpha + 4 n beta / S), least at S = 4 sqrt(H n beta / alpha).
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

/// A node of the first tree. The root is rank 0; the height of another rank is that of its lowest
/// bit set.
struct Node {
  int rank = 0;
  int ranks = 0;

  int lowest_bit() const { return rank & -rank; }
  int height() const {
    const int width = std::bit_width(static_cast<unsigned>(ranks - 1));
    return rank == 0 ? width : std::countr_zero(static_cast<unsigned>(rank));
  }
  int parent() const {
    const int up = (rank ^ lowest_bit()) | (lowest_bit() << 1);
    return up < ranks ? up : rank ^ lowest_bit();
  }
  /// The child of lower, or of higher rank; -1: none.
  int child(bool higher) const {
    if (rank == 0) {
      return higher && ranks > 1
                 ? static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks - 1)))
                 : -1;
    }
    if (!higher) return lowest_bit() > 1 ? rank - lowest_bit() / 2 : -1;
    for (int distance = lowest_bit() / 2; distance > 0; distance /= 2) {
      if (rank + distance < ranks) return rank + distance;
    }
    return -1;
  }
};

/// The place of a rank in the first tree where it takes that of the second, or back.
int moved(int rank, int ranks, bool second, bool back) {
  if (!second) return rank;
  if (ranks % 2 == 0) return ranks - 1 - rank;
  return (rank + (back ? 1 : ranks - 1)) % ranks;
}

class DoubleBinaryTree final : public CollectiveSchedule {
 public:
  explicit DoubleBinaryTree(int ranks) : ranks_(ranks), half_(2 * Node{0, ranks}.height()) {}

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return 1; }
  std::int32_t landings() const override { return 2; }
  bool side_by_side() const override { return true; }
  int steps() const override { return 2 * half_; }

  ScheduleStep at(int rank, int step, int slice) const override {
    const bool second = slice % 2 == 1;
    const Node node{moved(rank, ranks_, second, false), ranks_};
    const bool up = step < half_;
    const int level = up ? step : 2 * half_ - 1 - step;  // downwards the steps are mirrored
    ScheduleStep transfer;
    if (level / 2 == node.height() - 1) {
      const int side = level % 2;
      const int child = node.child(side == 1);
      if (child >= 0) add_end(transfer, moved(child, ranks_, second, true), !up, up, side);
    }
    if (node.rank == 0) return transfer;
    const Node parent{node.parent(), ranks_};
    const int side = parent.child(true) == node.rank ? 1 : 0;
    if (level == 2 * (parent.height() - 1) + side) {
      add_end(transfer, moved(parent.rank, ranks_, second, true), up, up, side);
    }
    return transfer;
  }

 private:
  /// Adds one end of an edge; what comes from a child lands at its side's place.
  static void add_end(ScheduleStep& transfer, int partner, bool sends, bool up, int side) {
    const Parts all{0, 1};
    if (sends) {
      transfer.to = partner;
      transfer.out = all;
      return;
    }
    transfer.from = partner;
    transfer.in = all;
    if (up) transfer.arrival = Arrival::adds;
    transfer.landing = side;
  }
  int ranks_;
  int half_;  ///< steps upwards
};

}  // namespace

std::array<int, 2> double_tree_parents(int rank, int ranks) {
  std::array<int, 2> parents{};
  for (const bool second : {false, true}) {
    const Node node{moved(rank, ranks, second, false), ranks};
    parents[second ? 1 : 0] = node.rank == 0 ? -1 : moved(node.parent(), ranks, second, true);
  }
  return parents;
}

SharedSchedule double_binary_tree(int ranks) {
  return std::make_shared<DoubleBinaryTree>(ranks);
}

namespace {

constexpr int kMostSlices = 1000;

class DoubleBinaryTreeAllReduce final : public AllReduce {
 public:
  std::optional<int> slices_key;

  SharedSchedule schedule(const Plan& plan) const override {
    return double_binary_tree(plan.workers);
  }
  /// The default takes the least time by the formula above for a link that carries 100 kB while a
  /// copy starts, such as 10 GB/s and 10 us; near the optimum the time hardly depends on it. Both
  /// trees get the same number.
  int slices(double bytes, int workers) const override {
    if (slices_key) return *slices_key;
    constexpr double kWhileACopyStarts = 100e3;  // bytes
    const int height = std::bit_width(static_cast<unsigned>(workers - 1));
    const double of_each = 2 * std::sqrt(height * bytes / kWhileACopyStarts);
    return 2 * static_cast<int>(std::lround(std::clamp(of_each, 1.0, kMostSlices / 2.0)));
  }
  static void describe(Description<DoubleBinaryTreeAllReduce>& d) {
    d.optional("slices", &DoubleBinaryTreeAllReduce::slices_key,
               "pieces of a bucket that follow each other through the trees; default: by its size")
        .at_least(1)
        .at_most(kMostSlices);
  }
};

}  // namespace

Variant<AllReduce> double_binary_tree_all_reduce() {
  return variant<DoubleBinaryTreeAllReduce, AllReduce>(
      "double-binary-tree", "up and down two trees, a half of the slices each");
}

}  // namespace paceline
