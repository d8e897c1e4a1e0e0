// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/block_nodes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace paceline {
namespace {

using Kind = BlockNode::Kind;

/// The place of a chunk of a rank's buffers. The landing holds the output, unless that is the
/// input, and then the scratch.
class Places {
 public:
  explicit Places(const BlockProgram& program) : program_(program) {}

  ChunkPlace of(int rank, const BlockPlace& place) const {
    const int share = program_.chunks / static_cast<int>(program_.blocks.size());
    const bool output = place.buffer == BlockBuffer::output;
    if (place.buffer == BlockBuffer::scratch)
      return {true, (program_.in_place ? 0 : program_.chunks) + place.first};
    // the smaller buffer of an operation is a rank's share of the larger one
    const bool part = output ? program_.operation == Operation::reduce_scatter
                             : program_.operation == Operation::all_gather;
    return {output && !program_.in_place, place.first + (part ? rank * share : 0)};
  }

 private:
  const BlockProgram& program_;
};

class NodeBuilder {
 public:
  explicit NodeBuilder(const BlockProgram& program) : program_(program), places_(program) {}

  std::vector<BlockNode> build() {
    for (std::size_t rank = 0; rank < program_.blocks.size(); ++rank) {
      first_.emplace_back();
      last_.emplace_back();
      for (const ThreadBlock& block : program_.blocks[rank]) add(static_cast<int>(rank), block);
    }
    for (std::size_t rank = 0; rank < program_.blocks.size(); ++rank) wait_for_others(rank);
    match();
    return in_order();
  }

 private:
  int add(BlockNode node, int before) {
    if (before >= 0) node.after.push_back(before);
    node.block = block_;
    node.turn = turn_++;
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  void add(int rank, const ThreadBlock& block) {
    std::vector<int>& first = first_.back().emplace_back();
    std::vector<int>& last = last_.back().emplace_back();
    int before = -1;
    ++block_;
    turn_ = 0;
    for (const BlockStep& step : block.steps) {
      first.push_back(static_cast<int>(nodes_.size()));
      before = add(rank, block, step, before);
      last.push_back(before);
    }
  }

  /// Adds the nodes of a step. Returns the last one.
  int add(int rank, const ThreadBlock& block, const BlockStep& step, int before) {
    BlockNode node;
    node.rank = rank;
    node.step = &step;
    node.count = step.count;
    node.from = places_.of(rank, step.from);
    node.to = places_.of(rank, step.to);
    if (!step.receives && !step.sends && !step.adds && !step.copies) return add(node, before);
    if (step.receives) {
      BlockNode arrival = node;
      arrival.kind = Kind::receives;
      arrival.peer = block.from;
      node.received = before = add(arrival, before);
      line(block.from, rank, block.channel, false).push_back(before);
      before = work_on(node, step, before);
    } else if (step.adds || step.copies) {
      node.kind = step.adds ? Kind::adds : Kind::copies;
      before = add(node, before);
    }
    if (!step.sends) return before;
    node.kind = Kind::sends;
    node.peer = block.to;
    node.from = step.receives ? node.to : node.from;
    node.from_landing = step.receives && !step.keeps;
    before = add(node, before);
    line(rank, block.to, block.channel, true).push_back(before);
    return before;
  }

  /// The work of a step on the chunks that it has received.
  int work_on(BlockNode node, const BlockStep& step, int before) {
    if (!step.keeps) {  // the sum is made where it has landed
      node.kind = Kind::adds;
      node.to_landing = true;
      return add(node, before);
    }
    const ChunkPlace own = node.from;
    node.from_landing = true;
    const bool together = step.adds && own == node.to;
    node.kind = together ? Kind::adds : Kind::copies;
    before = add(node, before);
    if (!step.adds || together) return before;
    node.kind = Kind::adds;
    node.from_landing = false;
    return add(node, before);
  }

  /// The nodes that send, or receive, on a connection.
  std::vector<int>& line(int from, int to, int channel, bool sends) {
    return lines_[{from, to, channel}][sends ? 1 : 0];
  }

  void wait_for_others(std::size_t rank) {
    const std::vector<ThreadBlock>& blocks = program_.blocks[rank];
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      for (std::size_t number = 0; number < blocks[block].steps.size(); ++number) {
        const BlockStep& step = blocks[block].steps[number];
        if (step.after_block < 0) continue;
        const auto other = static_cast<std::size_t>(step.after_block);
        const auto after = static_cast<std::size_t>(std::max(step.after_step, 0));
        if (other >= blocks.size() || after >= blocks[other].steps.size())
          throw SpecError(step.at, "'depid' and 'deps' name no step of this GPU");
        nodes_[static_cast<std::size_t>(first_[rank][block][number])].after.push_back(
            last_[rank][other][after]);
      }
    }
  }

  BlockNode& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }

  void match() {
    for (const auto& [ends, both] : lines_) {
      const auto& [from, to, channel] = ends;
      const auto& [receives, sends] = both;
      const std::string where = " on channel " + std::to_string(channel);
      if (sends.size() > receives.size())
        throw SpecError(node(sends[receives.size()]).step->at,
                        "rank " + std::to_string(to) + " receives nothing that rank " +
                            std::to_string(from) + " sends here" + where);
      if (receives.size() > sends.size())
        throw SpecError(node(receives[sends.size()]).step->at,
                        "rank " + std::to_string(from) + " sends nothing that rank " +
                            std::to_string(to) + " receives here" + where);
      for (std::size_t i = 0; i < sends.size(); ++i) {
        BlockNode& sent = node(sends[i]);
        BlockNode& arrival = node(receives[i]);
        if (sent.count != arrival.count)
          throw SpecError(arrival.step->at, "the step receives " + std::to_string(arrival.count) +
                                                " chunks, and rank " + std::to_string(from) +
                                                " sends " + std::to_string(sent.count));
        sent.match = receives[i];
        arrival.match = sends[i];
      }
    }
  }

  std::vector<BlockNode> in_order() {
    find_levels();
    std::vector<int> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](int number) { return node(number).level; });
    std::vector<int> place(nodes_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    const auto moved = [&](int number) {
      return number < 0 ? number : place[static_cast<std::size_t>(number)];
    };
    std::vector<BlockNode> sorted;
    for (const int number : order) {
      BlockNode& one = sorted.emplace_back(std::move(node(number)));
      one.match = moved(one.match);
      one.received = moved(one.received);
      for (int& before : one.after) before = moved(before);
    }
    return sorted;
  }

  /// Kahn's algorithm: a node has its level once all that it waits for have theirs.
  void find_levels() {
    std::vector<std::vector<int>> next(nodes_.size());
    std::vector<int> waits(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::vector<int> before = nodes_[i].after;
      if (nodes_[i].kind == Kind::receives) before.push_back(nodes_[i].match);
      waits[i] = static_cast<int>(before.size());
      for (const int number : before)
        next[static_cast<std::size_t>(number)].push_back(static_cast<int>(i));
    }
    std::vector<int> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (waits[i] == 0) ready.push_back(static_cast<int>(i));
    std::size_t done = 0;
    for (; done < ready.size(); ++done) {
      const BlockNode& over = node(ready[done]);
      const int level = over.level + 1;
      for (const int number : next[static_cast<std::size_t>(ready[done])]) {
        node(number).level = std::max(node(number).level, level);
        if (--waits[static_cast<std::size_t>(number)] == 0) ready.push_back(number);
      }
    }
    if (done < nodes_.size())
      throw SpecError(program_.at, "the program waits for itself: no step can go on");
  }

  const BlockProgram& program_;
  Places places_;
  std::vector<BlockNode> nodes_;
  int block_ = -1, turn_ = 0;  ///< of the next node
  // by rank, block and step: its first and its last node
  std::vector<std::vector<std::vector<int>>> first_, last_;
  std::map<std::tuple<int, int, int>, std::array<std::vector<int>, 2>> lines_;
};

}  // namespace

std::vector<BlockNode> nodes_of(const BlockProgram& program) {
  return NodeBuilder(program).build();
}

}  // namespace paceline
