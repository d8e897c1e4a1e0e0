// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/msccl_program.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "experiments/language/xml.hpp"
#include "training/strategies/collectives/chunk_contents.hpp"
#include "training/strategies/collectives/thread_blocks.hpp"

namespace paceline {
namespace {

constexpr int kMostRanks = ChunkContents::kMostRanks;
constexpr int kMostChunks = 4096;
constexpr int kMostChannels = 32;    // as in MSCCL
constexpr int kMostMoves = 1 << 20;  // chunks of all steps: the check holds each in memory

int number_of(const XmlElement& element, const char* key, int least, int most) {
  const int number = element.number(key, least - 1);
  if (number >= least && number <= most) return number;
  throw SpecError(element.at, "<" + element.name + "> has " + key + "=" +
                                  quote(element.attribute(key)) + ", not a number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
}

/// A number that may be left out.
int number_or(const XmlElement& element, const char* key, int least, int most, int otherwise) {
  return element.attribute(key).empty() ? otherwise : number_of(element, key, least, most);
}

Operation operation_of(const XmlElement& root) {
  static const std::map<std::string, Operation, std::less<>> kOperations{
      {"allreduce", Operation::all_reduce},         {"allgather", Operation::all_gather},
      {"reducescatter", Operation::reduce_scatter}, {"reduce_scatter", Operation::reduce_scatter},
      {"broadcast", Operation::broadcast},          {"alltoall", Operation::all_to_all}};
  const auto known = kOperations.find(root.attribute("coll"));
  if (known != kOperations.end()) return known->second;
  throw SpecError(root.at, "coll " + quote(root.attribute("coll")) +
                               " is not read (known: allreduce, allgather, reducescatter, "
                               "broadcast, alltoall)");
}

class Reader {
 public:
  explicit Reader(const XmlElement& root) : root_(root) {
    if (root.name != "algo") throw SpecError(root.at, "not a program of MSCCL: no <algo>");
    program_.at = root.at;
    program_.operation = operation_of(root);
    program_.in_place = root.attribute("inplace") != "0";
    const int ranks = number_of(root, "ngpus", 2, kMostRanks);
    program_.chunks = number_of(root, "nchunksperloop", 1, kMostChunks);
    program_.blocks.resize(static_cast<std::size_t>(ranks));
    if (program_.operation == Operation::all_reduce || program_.operation == Operation::broadcast)
      return;
    if (program_.chunks % ranks != 0)
      throw SpecError(root.at, "'nchunksperloop' of such a collective is a multiple of 'ngpus'");
  }

  BlockProgram read() {
    for (const XmlElement& gpu : root_.children)
      program_.scratch = std::max(program_.scratch, number_or(gpu, "s_chunks", 0, kMostChunks, 0));
    for (const XmlElement& gpu : root_.children) read_gpu(gpu);
    return std::move(program_);
  }

 private:
  int ranks() const { return static_cast<int>(program_.blocks.size()); }

  void read_gpu(const XmlElement& gpu) {
    const int rank = number_of(gpu, "id", 0, ranks() - 1);
    std::set<std::pair<int, int>> sends, receives;  // connections that have a block
    for (const XmlElement& element : gpu.children) {
      std::vector<ThreadBlock>& blocks = program_.blocks[static_cast<std::size_t>(rank)];
      ThreadBlock& block = blocks.emplace_back();
      block.at = element.at;
      if (number_of(element, "id", 0, 1 << 20) + 1 != static_cast<int>(blocks.size()))
        throw SpecError(element.at, "thread blocks must be numbered from 0 in order");
      block.to = number_of(element, "send", -1, ranks() - 1);
      block.from = number_of(element, "recv", -1, ranks() - 1);
      block.channel = number_of(element, "chan", 0, kMostChannels - 1);
      if (block.to == rank || block.from == rank)
        throw SpecError(element.at, "a thread block exchanges with its own GPU");
      for (const XmlElement& step : element.children) block.steps.push_back(read_step(step, block));
      note(element, sends, block.to, block, &BlockStep::sends);
      note(element, receives, block.from, block, &BlockStep::receives);
    }
  }

  /// A connection has one order, that of the steps of its block.
  static void note(const XmlElement& element, std::set<std::pair<int, int>>& connections, int peer,
                   const ThreadBlock& block, bool BlockStep::*uses) {
    if (std::ranges::none_of(block.steps, uses)) return;
    if (connections.emplace(peer, block.channel).second) return;
    throw SpecError(element.at, "another thread block of this GPU has the connection with rank " +
                                    std::to_string(peer) + " on channel " +
                                    std::to_string(block.channel) +
                                    " (give each a channel of its own)");
  }

  BlockStep read_step(const XmlElement& element, const ThreadBlock& block) {
    static const std::map<std::string, BlockStep, std::less<>> kTypes{
        {"s", {.at = {}, .sends = true}},
        {"r", {.at = {}, .receives = true}},
        {"rcs", {.at = {}, .receives = true, .sends = true}},
        {"rrc", {.at = {}, .receives = true, .adds = true}},
        {"rrs", {.at = {}, .receives = true, .sends = true, .adds = true, .keeps = false}},
        {"rrcs", {.at = {}, .receives = true, .sends = true, .adds = true}},
        {"re", {.at = {}, .adds = true}},
        {"cpy", {.at = {}, .copies = true}},
        {"nop", {}}};
    const auto type = kTypes.find(element.attribute("type"));
    if (type == kTypes.end()) {
      throw SpecError(element.at, "step type " + quote(element.attribute("type")) +
                                      " is not read (known: s, r, rcs, rrc, rrs, rrcs, re, cpy, "
                                      "nop)");
    }
    BlockStep step = type->second;
    step.at = element.at;
    step.after_block = element.number("depid", -1);
    step.after_step = element.number("deps", -1);
    const bool local = step.adds || step.copies;
    if (!step.sends && !step.receives && !local) return step;
    step.count = number_of(element, "cnt", 1, kMostChunks);
    moves_ += step.count;
    if (moves_ > kMostMoves)
      throw SpecError(element.at, "a program of more than " + std::to_string(kMostMoves) +
                                      " chunks in all steps is too large");
    if (step.sends || local) step.from = place_of(element, "src", step.count);
    if (step.receives || local) step.to = place_of(element, "dst", step.count);
    if ((step.sends && block.to < 0) || (step.receives && block.from < 0))
      throw SpecError(element.at, "the step's thread block has no rank to exchange with");
    return step;
  }

  /// The chunks at one side of a step.
  BlockPlace place_of(const XmlElement& step, const std::string& side, int count) const {
    const std::string& buffer = step.attribute(side + "buf");
    const bool shares = program_.operation == Operation::all_gather ||
                        program_.operation == Operation::reduce_scatter;
    const bool gathers = program_.operation == Operation::all_gather;
    const bool input = buffer == "i";
    if (!input && buffer != "o" && buffer != "s")
      throw SpecError(step.at, side + "buf " + quote(buffer) + " is not read (known: i, o, s)");
    const int share = program_.chunks / ranks();
    const int chunks = buffer == "s"                ? program_.scratch
                       : shares && input == gathers ? share
                                                    : program_.chunks;
    BlockPlace place;
    place.buffer = input           ? BlockBuffer::input
                   : buffer == "o" ? BlockBuffer::output
                                   : BlockBuffer::scratch;
    place.first = number_of(step, (side + "off").c_str(), 0, chunks - count);
    return place;
  }

  const XmlElement& root_;
  BlockProgram program_;
  int moves_ = 0;
};

}  // namespace

MscclProgram read_msccl_program(const std::string& file, const std::string& text) {
  const XmlElement root = parse_xml(file, text);
  const BlockProgram program = Reader(root).read();
  return {program.operation, programs_of(program)};
}

}  // namespace paceline
