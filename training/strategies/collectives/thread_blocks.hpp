// SPDX-License-Identifier: MIT
/// \file
/// A collective as thread blocks of GPUs, as MSCCL has it: each block takes its steps in order,
/// side by side with the others of its GPU, and what it sends it receives in the order of its
/// connection. Made into programs of ranks that any clock carries out.
///
/// Arrivals land in places of their own, as in the connection's buffer, and the block moves them on
/// from there; a chunk is received in place if its sender knows that it is free. Where steps of two
/// blocks use a chunk, they keep the order of `nodes_of`, whatever the program makes them wait for.
#pragma once
#include <cstdint>
#include <vector>

#include "experiments/language/diagnostics.hpp"
#include "training/runtime/operation.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

enum class BlockBuffer : std::uint8_t { input, output, scratch };

struct BlockPlace {
  BlockBuffer buffer = BlockBuffer::input;
  int first = 0;  ///< chunk
};

/// A step of a thread block: it may receive, then work on what it has, and then send.
struct BlockStep {
  Location at;
  bool receives = false, sends = false;
  bool adds = false;    ///< what it receives, or `from`, to `to`
  bool copies = false;  ///< `from` to `to`
  bool keeps = true;    ///< what it receives; else the sum only travels on
  BlockPlace from{}, to{};
  int count = 1;
  int after_block = -1, after_step = -1;  ///< of the same GPU: must be over; -1: none
};

struct ThreadBlock {
  Location at;
  int to = -1, from = -1, channel = 0;
  std::vector<BlockStep> steps;
};

struct BlockProgram {
  Location at;
  Operation operation = Operation::all_reduce;
  bool in_place = true;                          ///< input and output are one buffer
  int chunks = 1;                                ///< of the whole buffer
  int scratch = 0;                               ///< chunks
  std::vector<std::vector<ThreadBlock>> blocks;  ///< by rank
};

/// Throws SpecError: a program that waits for itself, sends what no rank receives, or does not do
/// what its operation does.
SharedSchedule programs_of(const BlockProgram& program);

}  // namespace paceline
