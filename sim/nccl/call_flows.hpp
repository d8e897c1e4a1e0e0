// SPDX-License-Identifier: MIT
/// \file
/// The bytes that a call of NCCL moves from rank to rank, by algorithm. All are proportional to the
/// call's bytes.
#pragma once
#include <vector>

#include "sim/nccl/rings.hpp"
#include "sim/nccl/tuner.hpp"

namespace paceline {

/// Bytes on the way from a rank to another.
struct LibraryFlow {
  int from = 0, to = 0;
  double bytes = 0;
};

/// The ranks of a call and their computers.
struct RankPlaces {
  const NcclRings& rings;
  /// By rank; empty: one computer.
  const std::vector<int>& computers;
  int count = 0;
  bool same_computer(int from, int to) const {
    return computers.empty() ||
           computers[static_cast<std::size_t>(from)] == computers[static_cast<std::size_t>(to)];
  }
};

/// \param bytes of each edge of all rings together
std::vector<LibraryFlow> ring_flows(const RankPlaces& places, Operation operation, double bytes);
/// A chain within each computer, in the order of a ring, and two binary trees of computers, with
/// half of the bytes each. All bytes go up and down.
std::vector<LibraryFlow> tree_flows(const RankPlaces& places, double bytes);
/// Each GPU sends all bytes to its computer's switches, which sum, and its part of the sum to all.
/// Between computers the parts go along the two trees, or once through switches that sum.
/// \param share of a GPU's links that the switches' work reaches
std::vector<LibraryFlow> nvls_flows(const RankPlaces& places, double bytes, bool trees,
                                    double share);
/// A chain within each computer; between them the bytes go once through switches that sum.
std::vector<LibraryFlow> collnet_flows(const RankPlaces& places, double bytes);
/// \param bytes from each rank to each other
std::vector<LibraryFlow> pair_flows(const RankPlaces& places, double bytes);

}  // namespace paceline
