// SPDX-License-Identifier: MIT
/// \file
/// The contents of each rank's chunks while a program runs: a chunk of the input, and the ranks
/// that have added theirs. Checks at the end that the program has the result of its operation.
#pragma once
#include <bitset>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/strategies/collectives/block_nodes.hpp"

namespace paceline {

class ChunkContents {
 public:
  static constexpr int kMostRanks = 256;

  explicit ChunkContents(const BlockProgram& program);

  // Carry out the nodes, in their order. Throw SpecError for a sum of unlike chunks, or of one
  // addend twice.
  void send(const BlockNode& node);
  void carry(const BlockNode& sent, const BlockNode& arrival);
  void work(const BlockNode& node);

  /// The runs of chunks of a rank that the operation's result is in: first and number.
  std::vector<std::pair<std::int32_t, std::int32_t>> results_of(int rank) const;
  /// "all-reduce: why"; "" if the result is right.
  std::string wrong_end();

 private:
  struct Content {
    int chunk = -1;  ///< of the input; -1: nothing
    std::bitset<kMostRanks> ranks;
    friend bool operator==(const Content&, const Content&) = default;
  };
  using Chunks = std::map<std::pair<bool, std::int32_t>, Content>;

  Chunks& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  bool has_result(int rank, int chunk) const;
  Content wanted(int rank, int chunk) const;

  const BlockProgram& program_;
  int share_;  ///< chunks of a rank's part
  std::vector<Chunks> ranks_;
  std::map<const BlockStep*, std::vector<Content>> under_way_;  ///< by the step that sends
};

}  // namespace paceline
