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
  int peer = -1;   ///< the rank that it sends to or receives from
  int match = -1;  ///< the other end: the node that sends or receives the same chunks
  const BlockStep* step = nullptr;
  ChunkPlace from, to;        ///< as the program says; the maker of programs replaces them
  bool from_landing = false;  ///< `from` is where the step's receive lands
  bool to_landing = false;    ///< `to` is where it lands: a sum that only travels on
  int received = -1;          ///< the step's receive
  int count = 1;
  std::vector<int> after;  ///< nodes of the same rank
  int level = 0;           ///< above those of all that it waits for

  bool local() const { return kind == Kind::adds || kind == Kind::copies; }
};

/// The nodes of a program, in an order in which none waits for a later one: by level, then as the
/// program has them. Throws SpecError if there is no such order, or if sends and receives do not
/// match.
std::vector<BlockNode> nodes_of(const BlockProgram& program);

}  // namespace paceline
