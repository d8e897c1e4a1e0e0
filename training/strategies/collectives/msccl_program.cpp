// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/msccl_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "experiments/language/xml.hpp"
#include "training/strategies/collectives/transfer_table.hpp"

namespace paceline {
namespace {

constexpr int kMostRanks = 256;
constexpr int kMostChunks = 4096;
constexpr int kMostChannels = 32;       // as in MSCCL
constexpr int kMostTransfers = 16'384;  // the checks take the square of that in time and memory

/// One step of a thread block: it may receive, and may then send.
struct BlockStep {
  Location at;
  bool receives = false, sends = false;
  bool adds = false;  ///< what it receives
  int first = 0;      ///< chunk
  int count = 1;
  int after_block = -1, after_step = -1;  ///< of the same GPU: must be over; -1: none
};

struct Block {
  int to = -1, from = -1, channel = 0;
  std::vector<BlockStep> steps;
  // as the program runs
  std::size_t step = 0;
  bool received = false;  ///< of the current step
  int ready = 0;          ///< first common step at which it may go on
  std::vector<int> over;  ///< by step that is over: first common step at which others may go on

  bool done() const { return step == steps.size(); }
  const BlockStep& current() const { return steps[step]; }
  void finish(int time) {
    over.push_back(time);
    ready = time;
    received = false;
    ++step;
  }
};

/// A thread block that sends in a step.
struct Sender {
  int rank = 0;
  Block* block = nullptr;
};
using Senders = std::vector<Sender>;
using Blocks = std::vector<std::vector<Block>>;  ///< by rank

int number_of(const XmlElement& element, const char* key, int least, int most) {
  const int number = element.number(key, least - 1);
  if (number >= least && number <= most) return number;
  throw SpecError(element.at, "<" + element.name + "> has " + key + "=" +
                                  quote(element.attribute(key)) + ", not a number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
}

/// The chunk at one side of a step.
int chunk_of(const XmlElement& step, const std::string& side, int count, int chunks) {
  const std::string& buffer = step.attribute(side + "buf");
  if (buffer != "i" && buffer != "o") {
    throw SpecError(step.at, side + "buf " + quote(buffer) +
                                 " is not read (only i and o are, which are one buffer in place)");
  }
  return number_of(step, (side + "off").c_str(), 0, chunks - count);
}

BlockStep read_step(const XmlElement& element, const Block& block, int chunks) {
  static const std::map<std::string, BlockStep, std::less<>> kTypes{
      {"s", {.at = {}, .sends = true}},
      {"r", {.at = {}, .receives = true}},
      {"rcs", {.at = {}, .receives = true, .sends = true}},
      {"rrc", {.at = {}, .receives = true, .adds = true}},
      {"rrs", {.at = {}, .receives = true, .sends = true, .adds = true}},
      {"rrcs", {.at = {}, .receives = true, .sends = true, .adds = true}},
      {"nop", {}}};
  const auto type = kTypes.find(element.attribute("type"));
  if (type == kTypes.end()) {
    throw SpecError(element.at, "step type " + quote(element.attribute("type")) +
                                    " is not read (known: s, r, rcs, rrc, rrs, rrcs, nop)");
  }
  BlockStep step = type->second;
  step.at = element.at;
  step.after_block = element.number("depid", -1);
  step.after_step = element.number("deps", -1);
  if (!step.sends && !step.receives) return step;
  step.count = number_of(element, "cnt", 1, chunks);
  step.first = chunk_of(element, "src", step.count, chunks);
  if (chunk_of(element, "dst", step.count, chunks) != step.first) {
    throw SpecError(element.at, "a chunk that moves to another place of the buffer is not read");
  }
  if ((step.sends && block.to < 0) || (step.receives && block.from < 0)) {
    throw SpecError(element.at, "the step's thread block has no rank to exchange with");
  }
  return step;
}

/// The thread blocks of all ranks.
Blocks read_blocks(const XmlElement& root, int ranks, int chunks) {
  Blocks blocks(static_cast<std::size_t>(ranks));
  for (const XmlElement& gpu : root.children) {
    const int rank = number_of(gpu, "id", 0, ranks - 1);
    for (const XmlElement& element : gpu.children) {
      auto& all = blocks[static_cast<std::size_t>(rank)];
      if (element.number("id", -1) != static_cast<int>(all.size())) {
        throw SpecError(element.at, "thread blocks must be numbered from 0 in order");
      }
      Block& block = all.emplace_back();
      block.to = number_of(element, "send", -1, ranks - 1);
      block.from = number_of(element, "recv", -1, ranks - 1);
      block.channel = number_of(element, "chan", 0, kMostChannels);
      for (const XmlElement& step : element.children) {
        block.steps.push_back(read_step(step, block, chunks));
      }
    }
  }
  return blocks;
}

/// Gives each transfer the first common step at which both sides have come to it and are free. A
/// thread block may send in a step and receive by its next one, as ranks do in a ring.
class Run {
 public:
  Run(Blocks blocks, TransferTable& table) : blocks_(std::move(blocks)), table_(table) {}

  /// Carries out one common step. False where nothing can go on any more.
  bool advance(int time) {
    const bool skipped = skip_nops(time);
    Senders senders;
    for (int rank = 0; rank < table_.ranks(); ++rank) {
      for (Block& block : blocks_[static_cast<std::size_t>(rank)]) {
        if (may_send(block, rank, time)) senders.push_back({rank, &block});
      }
    }
    drop_unmet(senders, time);
    std::set<int> sending, receiving;  // a rank sends once and receives once in a step
    std::erase_if(senders, [&](const Sender& one) {
      if (sending.contains(one.rank) || receiving.contains(one.block->to)) return true;
      sending.insert(one.rank);
      receiving.insert(one.block->to);
      return false;
    });
    drop_unmet(senders, time);
    exchange(senders, time);
    return skipped || !senders.empty() || waits(time);
  }

  bool done() const {
    return none_of([](const Block& block) { return !block.done(); });
  }

 private:
  template <class Predicate>
  bool none_of(const Predicate& predicate) const {
    return std::ranges::none_of(blocks_, [&](const std::vector<Block>& blocks) {
      return std::ranges::any_of(blocks, predicate);
    });
  }

  /// Whether a block goes on in a later common step.
  bool waits(int time) const {
    return !none_of([time](const Block& block) { return !block.done() && block.ready > time; });
  }

  /// Drops those without a partner that receives in this step, until all partners of the rest do.
  void drop_unmet(Senders& senders, int time) {
    while (std::erase_if(senders, [&](const Sender& one) {
             return receiver_of(one, senders, time) == nullptr;
           }) > 0) {
    }
  }

  void exchange(const Senders& senders, int time) {
    std::vector<Block*> receivers;
    for (const Sender& one : senders) receivers.push_back(receiver_of(one, senders, time));
    std::vector<const BlockStep*> sent;
    for (const Sender& one : senders) {
      sent.push_back(&one.block->current());
      one.block->finish(time + 1);
    }
    for (std::size_t i = 0; i < senders.size(); ++i) {
      const BlockStep& in = receivers[i]->current();
      if (sent[i]->first != in.first || sent[i]->count != in.count) {
        throw SpecError(in.at, "the step receives other chunks than rank " +
                                   std::to_string(senders[i].rank) + " sends");
      }
      if (++transfers_ > kMostTransfers) {
        throw SpecError(in.at, "more than " + std::to_string(kMostTransfers) + " transfers");
      }
      table_.add({time, senders[i].rank, senders[i].block->to, in.first, in.count, in.adds});
      receivers[i]->received = true;
      receivers[i]->ready = time + 1;
      if (!in.sends) receivers[i]->finish(time + 1);
    }
  }

  bool skip_nops(int time) {
    bool moved = false;
    for (int rank = 0; rank < table_.ranks(); ++rank) {
      for (Block& block : blocks_[static_cast<std::size_t>(rank)]) {
        while (!block.done() && !block.current().sends && !block.current().receives &&
               may_go_on(block, rank, time)) {
          block.finish(std::max(block.ready, time));
          moved = true;
        }
      }
    }
    return moved;
  }

  /// Whether the step before the current one, and the one that it depends on, are over.
  bool may_go_on(const Block& block, int rank, int time) const {
    return block.ready <= time && is_free(block.current(), rank, time);
  }

  bool is_free(const BlockStep& step, int rank, int time) const {
    if (step.after_block < 0) return true;
    const auto& blocks = blocks_[static_cast<std::size_t>(rank)];
    const auto other = static_cast<std::size_t>(step.after_block);
    const auto after = static_cast<std::size_t>(std::max(step.after_step, 0));
    if (other >= blocks.size() || after >= blocks[other].steps.size()) {
      throw SpecError(step.at, "'depid' and 'deps' name no step of this GPU");
    }
    const std::vector<int>& over = blocks[other].over;
    return after < over.size() && over[after] <= time;
  }

  bool may_send(const Block& block, int rank, int time) const {
    return !block.done() && block.current().sends &&
           (!block.current().receives || block.received) && may_go_on(block, rank, time);
  }

  /// The block that takes what a block sends in this step; null if none does.
  Block* receiver_of(const Sender& sender, const Senders& senders, int time) {
    const int rank = sender.block->to;
    for (Block& block : blocks_[static_cast<std::size_t>(rank)]) {
      if (block.from != sender.rank || block.channel != sender.block->channel || block.done()) {
        continue;
      }
      std::size_t number = block.step;
      const bool sends_first =
          std::ranges::any_of(senders, [&](const Sender& one) { return one.block == &block; });
      if (sends_first) {
        ++number;
      } else if (block.ready > time || block.received) {
        return nullptr;
      }
      const bool takes = number < block.steps.size() && block.steps[number].receives &&
                         is_free(block.steps[number], rank, time);
      return takes ? &block : nullptr;
    }
    return nullptr;
  }

  Blocks blocks_;
  TransferTable& table_;
  int transfers_ = 0;
};

}  // namespace

SharedSchedule read_msccl_program(const std::string& file, const std::string& text) {
  const XmlElement root = parse_xml(file, text);
  if (root.name != "algo") throw SpecError(root.at, "not a program of MSCCL: no <algo>");
  if (root.attribute("coll") != "allreduce" || root.attribute("inplace") != "1") {
    throw SpecError(root.at, "only programs with coll=\"allreduce\" and inplace=\"1\" are read");
  }
  const int ranks = number_of(root, "ngpus", 2, kMostRanks);
  const int chunks = number_of(root, "nchunksperloop", 1, kMostChunks);
  auto table = std::make_shared<TransferTable>(ranks, chunks);
  Run run(read_blocks(root, ranks, chunks), *table);
  for (int time = 0; !run.done(); ++time) {
    if (!run.advance(time)) {
      throw SpecError(root.at, "the program waits for itself: no step can go on");
    }
  }
  std::string wrong = table->wrong_sum();
  if (wrong.empty()) wrong = table->overwritten();
  if (!wrong.empty()) throw SpecError(root.at, "the program is no all-reduce: " + wrong);
  return table;
}

}  // namespace paceline
