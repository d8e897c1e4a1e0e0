// SPDX-License-Identifier: MIT
/// \file
/// Which nodes of a program are surely over when a node begins: for each thread block, the number
/// of its nodes, along any path through the ranks (vector clocks: Fidge 1988, Mattern 1989).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "training/strategies/collectives/block_nodes.hpp"

namespace paceline {

class BlockClocks {
 public:
  /// \param nodes in their order
  explicit BlockClocks(const std::vector<BlockNode>& nodes) {
    for (const BlockNode& node : nodes)
      blocks_ = std::max(blocks_, static_cast<std::size_t>(node.block) + 1);
    if (nodes.size() * blocks_ > kMost) return;
    over_.resize(nodes.size() * blocks_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const int before : nodes[i].after) learn(i, nodes, before);
      if (nodes[i].kind == BlockNode::Kind::receives) learn(i, nodes, nodes[i].match);
    }
  }

  /// True if `earlier` is surely over when node number `number` begins.
  bool knows(std::size_t number, const BlockNode& earlier) const {
    return !over_.empty() &&
           over_[number * blocks_ + static_cast<std::size_t>(earlier.block)] > earlier.turn;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 25;  ///< numbers, of 4 bytes

  /// Notes that node `before` is over, and all nodes that were over when it began.
  void learn(std::size_t number, const std::vector<BlockNode>& nodes, int before) {
    const auto from = static_cast<std::size_t>(before);
    std::int32_t* const mine = &over_[number * blocks_];
    const std::int32_t* const known = &over_[from * blocks_];
    for (std::size_t block = 0; block < blocks_; ++block)
      mine[block] = std::max(mine[block], known[block]);
    std::int32_t& its = mine[static_cast<std::size_t>(nodes[from].block)];
    its = std::max(its, nodes[from].turn + 1);
  }

  std::size_t blocks_ = 0;
  std::vector<std::int32_t> over_;  ///< by node and block
};

}  // namespace paceline
