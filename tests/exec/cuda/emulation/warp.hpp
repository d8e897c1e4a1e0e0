// SPDX-License-Identifier: MIT
/// \file
/// The threads of an emulated block, and what the lanes of a warp give each other.
#pragma once
#include <cstdint>
#include <source_location>
#include <span>

#include "tests/exec/cuda/emulation/device_code.hpp"
#include "tests/exec/cuda/emulation/fiber.hpp"

namespace paceline::cuda::emulation {

enum class State : std::uint8_t { unstarted, running, at_barrier, in_warp, ended };

struct Thread {
  State state = State::unstarted;
  WarpCall call = WarpCall::sync;
  unsigned mask = 0;
  std::uint64_t bits = 0;  ///< its value for the warp, or its vote at a barrier
  int source = 0;
  std::uint64_t result = 0;
  std::source_location at;
  Fiber* fiber = nullptr;
};

inline constexpr std::size_t kLanes = 32;

/// Whether every lane that `thread` waits for has arrived.
bool complete(std::span<const Thread> block, std::size_t thread);

/// Gives the lanes that wait with `thread` their results. Returns these lanes as bits.
unsigned answer_lanes(std::span<Thread> block, std::size_t thread);

}  // namespace paceline::cuda::emulation
