// SPDX-License-Identifier: MIT
/// \file
/// The steps of thread blocks, each as one to three nodes of a graph: what arrives, the work on it,
/// and what is sent.
#pragma once
#include <cstdint>
#include <vector>

#include "training/strategies/collectives/rank_programs.hpp"
#include "training/strategies/collectives/thread_blocks.hpp"

namespace paceline {

struct BlockNode {
  enum class Kind : std::uint8_t { sends, receives, adds, copies, nothing };
  Kind kind = Kind::nothing;
  int rank = 0;
  int block = 0;   ///< among those of all ranks
  int turn = 0;    ///< among the block's nodes
  int peer = -1;   ///< of what is sent or received
  int match = -1;  ///< node that sends what it receives, or receives what it sends
  const BlockStep* step = nullptr;
  ChunkPlace from, to;        ///< not yet known where it lands: see `lands`
  bool from_landing = false;  ///< `from`, and of a sum that travels on `to`: where the step's
  bool to_landing = false;    ///< receive lands
  int received = -1;          ///< the step's receive
  int count = 1;
  std::vector<int> after;  ///< nodes of the same rank
  int level = 0;           ///< above those of all that it waits for

  bool local() const { return kind == Kind::adds || kind == Kind::copies; }
};

/// In an order in which none waits for a later one: by level, and then as the program has them.
/// Throws SpecError: no such order, or what is sent and received does not fit.
std::vector<BlockNode> nodes_of(const BlockProgram& program);

}  // namespace paceline
