// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/thread_blocks.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "training/strategies/collectives/block_clocks.hpp"
#include "training/strategies/collectives/block_nodes.hpp"
#include "training/strategies/collectives/chunk_contents.hpp"

namespace paceline {
namespace {

using Kind = BlockNode::Kind;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// The nodes that have used a chunk, or a place, of a rank.
struct Uses {
  int writer = -1;           ///< the last
  std::vector<int> readers;  ///< since then
};
using UsesOfRank = std::map<std::pair<bool, std::int32_t>, Uses>;

/// Calls `use` for each chunk that a node reads, and for each that it writes.
template <class Use>
void for_each_use(const BlockNode& node, bool writes, const Use& use) {
  if (node.kind == Kind::nothing) return;
  if (writes ? node.kind == Kind::sends : node.kind == Kind::receives) return;
  const ChunkPlace& place = writes ? node.to : node.from;
  for (int i = 0; i < node.count; ++i) use(std::pair{place.landing, place.first + i});
}

void note_uses(UsesOfRank& uses, int number, const BlockNode& node) {
  for_each_use(node, false, [&](const auto& place) { uses[place].readers.push_back(number); });
  for_each_use(node, true, [&](const auto& place) { uses[place] = {number, {}}; });
}

/// Makes the ranks' programs of nodes in their order.
class ProgramMaker {
 public:
  explicit ProgramMaker(const BlockProgram& program)
      : program_(program),
        nodes_(nodes_of(program)),
        places_(program.scratch + (program.in_place ? 0 : program.chunks)),
        contents_(program),
        ranks_(program.blocks.size()),
        number_(nodes_.size()) {
    for (Rank& rank : ranks_) rank.landed = places_;
  }

  SharedSchedule make() {
    land();
    number_receives();
    for (std::size_t i = 0; i < nodes_.size(); ++i) add(static_cast<int>(i));
    bring_home();
    const std::string wrong = contents_.wrong_end();
    if (!wrong.empty()) throw SpecError(program_.at, "the program is no " + wrong);
    std::vector<RankProgram> all;
    std::int32_t landings = 0;
    for (Rank& rank : ranks_) {
      landings = std::max(landings, rank.landed);
      all.push_back(std::move(rank.program));
    }
    return std::make_shared<RankPrograms>(std::move(all), program_.chunks, landings);
  }

 private:
  struct Rank {
    RankProgram program;
    UsesOfRank uses;
    std::int32_t landed = 0;  ///< places of the landing in use
  };
  /// The last node of each kind that a node waits for; earlier nodes of a kind end before it.
  struct Waits {
    int local = -1;
    std::map<int, int> sent, arrived;  ///< by the other rank
  };

  Rank& rank_of(const BlockNode& node) { return ranks_[index(node.rank)]; }

  /// Decides where each receive lands: where the program puts it, if its sender knows that all
  /// earlier uses are over, or in a place of its own.
  void land() {
    const BlockClocks clocks(nodes_);
    std::vector<UsesOfRank> uses(ranks_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      BlockNode& node = nodes_[i];
      UsesOfRank& of_rank = uses[index(node.rank)];
      if (node.kind == Kind::receives && !may_replace(node, of_rank, clocks)) {
        node.to = {true, rank_of(node).landed};
        rank_of(node).landed += node.count;
      } else if (node.kind != Kind::receives && node.received >= 0) {
        const ChunkPlace landed = nodes_[index(node.received)].to;
        if (node.from_landing) node.from = landed;
        if (node.to_landing) node.to = landed;
      }
      if (node.kind == Kind::copies && node.from == node.to) node.kind = Kind::nothing;
      note_uses(of_rank, static_cast<int>(i), node);
    }
  }

  bool may_replace(const BlockNode& arrival, UsesOfRank& uses, const BlockClocks& clocks) const {
    if (!arrival.step->keeps || arrival.step->adds) return false;
    bool may = true;
    const auto sender = static_cast<std::size_t>(arrival.match);
    const auto over = [&](int node) {
      return node < 0 || clocks.knows(sender, nodes_[index(node)]);
    };
    for_each_use(arrival, true, [&](const auto& place) {
      const Uses& of_place = uses[place];
      may = may && over(of_place.writer) && std::ranges::all_of(of_place.readers, over);
    });
    return may;
  }

  /// Numbers the receives of each rank; those from one rank in the order in which it sends.
  void number_receives() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != Kind::sends) continue;
      const int arrival = nodes_[i].match;
      std::vector<int>& receives = rank_of(nodes_[index(arrival)]).program.receives;
      number_[index(arrival)] = static_cast<int>(receives.size());
      receives.push_back(nodes_[i].rank);
    }
  }

  void add(int number) {
    const BlockNode& node = nodes_[index(number)];
    if (node.kind == Kind::receives) {
      contents_.carry(nodes_[index(node.match)], node);
      note_uses(rank_of(node).uses, number, node);
      return;
    }
    if (node.kind == Kind::nothing) return;
    ProgramStep step;
    step.from = node.from;
    step.to = node.kind == Kind::sends ? nodes_[index(node.match)].to : node.to;
    step.count = node.count;
    step.peer = node.peer;
    step.kind = node.kind == Kind::sends  ? ProgramStep::Kind::sends
                : node.kind == Kind::adds ? ProgramStep::Kind::adds
                                          : ProgramStep::Kind::copies;
    if (node.kind == Kind::sends) {
      contents_.send(node);
    } else {
      contents_.work(node);
    }
    wait_for(step, waits_of(number), node);
    note_uses(rank_of(node).uses, number, node);
    std::vector<ProgramStep>& steps = rank_of(node).program.steps;
    number_[index(number)] = static_cast<int>(steps.size());
    steps.push_back(std::move(step));
  }

  void wait_for(ProgramStep& step, const Waits& waits, const BlockNode& node) {
    if (waits.local >= 0 && !node.local()) step.after.push_back(number_[index(waits.local)]);
    for (const auto& [to, number] : waits.sent)
      if (node.kind != Kind::sends || to != node.peer) step.after.push_back(number_[index(number)]);
    for (const auto& [from, number] : waits.arrived)
      step.arrivals.push_back(number_[index(number)]);
  }

  /// The nodes that a node waits for: as the program says, and where both use a chunk.
  Waits waits_of(int number) {
    seen_.resize(nodes_.size(), -1);  // bring_home() adds nodes
    const BlockNode& node = nodes_[index(number)];
    Waits waits;
    std::vector<int> open = node.after;
    while (!open.empty()) {
      const int before = open.back();
      open.pop_back();
      if (std::exchange(seen_[index(before)], number) == number) continue;
      const BlockNode& one = nodes_[index(before)];
      const bool stands = one.kind == Kind::nothing || one.kind == Kind::receives;
      if (stands) open.insert(open.end(), one.after.begin(), one.after.end());
      note_wait(waits, before);
    }
    Rank& rank = rank_of(node);
    for_each_use(node, false,
                 [&](const auto& place) { note_wait(waits, rank.uses[place].writer); });
    for_each_use(node, true, [&](const auto& place) {
      note_wait(waits, rank.uses[place].writer);
      for (const int reader : rank.uses[place].readers) note_wait(waits, reader);
    });
    return waits;
  }

  void note_wait(Waits& waits, int before) {
    if (before < 0) return;
    const BlockNode& one = nodes_[index(before)];
    const auto later = [&](std::map<int, int>& of) {
      const auto [known, fresh] = of.try_emplace(one.peer, before);
      if (!fresh && number_[index(known->second)] < number_[index(before)]) known->second = before;
    };
    if (one.local()) waits.local = std::max(waits.local, before);
    if (one.kind == Kind::sends) later(waits.sent);
    if (one.kind == Kind::receives) later(waits.arrived);
  }

  /// Copies a result out of a buffer of its own to where the operation has it. The result of an
  /// all-to-all stays in its buffer, as in MPI.
  void bring_home() {
    if (program_.in_place || program_.operation == Operation::all_to_all) return;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const auto& [first, count] : contents_.results_of(static_cast<int>(rank))) {
        BlockNode node;
        node.kind = Kind::copies;
        node.rank = static_cast<int>(rank);
        node.from = {true, first};
        node.to = {false, first};
        node.count = count;
        nodes_.push_back(node);
        number_.push_back(0);
        add(static_cast<int>(nodes_.size()) - 1);
      }
    }
  }

  const BlockProgram& program_;
  std::vector<BlockNode> nodes_;
  std::int32_t places_;  ///< of the landing that the program has by itself
  ChunkContents contents_;
  std::vector<Rank> ranks_;
  std::vector<int> number_;  ///< by node: of its step, or its receive, among its rank's
  std::vector<int> seen_;    ///< by node: the node for which it was last looked at
};

}  // namespace

SharedSchedule programs_of(const BlockProgram& program) {
  return ProgramMaker(program).make();
}

}  // namespace paceline
