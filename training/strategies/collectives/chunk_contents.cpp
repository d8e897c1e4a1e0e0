// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/chunk_contents.hpp"

namespace paceline {

ChunkContents::ChunkContents(const BlockProgram& program)
    : program_(program),
      share_(program.chunks / static_cast<int>(program.blocks.size())),
      ranks_(program.blocks.size()) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (int chunk = 0; chunk < program.chunks; ++chunk) {
      Content own;
      own.chunk = chunk;
      own.ranks.set(rank);
      ranks_[rank][{false, chunk}] = own;
    }
  }
}

void ChunkContents::send(const BlockNode& node) {
  std::vector<Content>& sent = under_way_[node.step];
  sent.clear();
  for (int i = 0; i < node.count; ++i)
    sent.push_back(of(node.rank)[{node.from.landing, node.from.first + i}]);
}

void ChunkContents::carry(const BlockNode& sent, const BlockNode& arrival) {
  const auto found = under_way_.find(sent.step);
  for (int i = 0; i < arrival.count; ++i)
    of(arrival.rank)[{arrival.to.landing, arrival.to.first + i}] =
        found->second[static_cast<std::size_t>(i)];
  under_way_.erase(found);
}

void ChunkContents::work(const BlockNode& node) {
  Chunks& mine = of(node.rank);
  for (int i = 0; i < node.count; ++i) {
    const Content from = mine[{node.from.landing, node.from.first + i}];
    Content& to = mine[{node.to.landing, node.to.first + i}];
    if (node.kind == BlockNode::Kind::copies) {
      to = from;
      continue;
    }
    const std::string rank = std::to_string(node.rank);
    if (from.chunk < 0 || to.chunk < 0)
      throw SpecError(node.step->at, "rank " + rank + " adds what nothing has been put into");
    if (from.chunk != to.chunk)
      throw SpecError(node.step->at, "rank " + rank + " adds chunk " + std::to_string(from.chunk) +
                                         " to chunk " + std::to_string(to.chunk));
    if (const auto twice = from.ranks & to.ranks; twice.any())
      throw SpecError(node.step->at, "rank " + rank + " adds the addend of rank " +
                                         std::to_string(twice._Find_first()) + " to chunk " +
                                         std::to_string(to.chunk) + " twice");
    to.ranks |= from.ranks;
  }
}

bool ChunkContents::has_result(int rank, int chunk) const {
  return program_.operation != Operation::reduce_scatter || chunk / share_ == rank;
}

std::vector<std::pair<std::int32_t, std::int32_t>> ChunkContents::results_of(int rank) const {
  if (program_.operation == Operation::reduce_scatter) return {{rank * share_, share_}};
  return {{0, program_.chunks}};
}

ChunkContents::Content ChunkContents::wanted(int rank, int chunk) const {
  Content content;
  content.chunk = chunk;
  switch (program_.operation) {
    case Operation::all_gather:
      content.ranks.set(static_cast<std::size_t>(chunk / share_));
      break;
    case Operation::broadcast:
      content.ranks.set(0);
      break;
    case Operation::all_to_all:
      content.chunk = rank * share_ + chunk % share_;
      content.ranks.set(static_cast<std::size_t>(chunk / share_));
      break;
    default:
      for (std::size_t one = 0; one < ranks_.size(); ++one) content.ranks.set(one);
  }
  return content;
}

std::string ChunkContents::wrong_end() {
  const bool stays = program_.operation == Operation::all_to_all && !program_.in_place;
  const std::string operation = Value<Operation>::write(program_.operation).text;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const int rank = static_cast<int>(i);
    for (int chunk = 0; chunk < program_.chunks; ++chunk) {
      if (!has_result(rank, chunk)) continue;
      const Content have = of(rank)[{stays, chunk}], want = wanted(rank, chunk);
      if (have == want) continue;
      const std::string end = operation + ": rank " + std::to_string(rank) + " ends with";
      const auto missing = want.ranks & ~have.ranks;
      if (have.chunk == want.chunk && missing.any() && (have.ranks & ~want.ranks).none())
        return end + "out the addend of rank " + std::to_string(missing._Find_first()) +
               " in chunk " + std::to_string(chunk);
      return end + " something else in chunk " + std::to_string(chunk);
    }
  }
  return "";
}

}  // namespace paceline
