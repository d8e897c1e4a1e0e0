// SPDX-License-Identifier: MIT
/// \file
/// The one source of randomness: a uniform number that is a pure function of its purpose, worker
/// and step. The simulator and a real execution get the same bits for the same draw, in whatever
/// order their workers run.
#pragma once
#include <cassert>
#include <cstdint>

#include "training/workload/random/philox.hpp"

namespace paceline {

/// The purpose of a draw; draws for different purposes are independent. Append new ones at the end,
/// or every result changes.
enum class Purpose : std::uint32_t {
  straggler,  ///< the delay before a mini-batch
  input,      ///< the length of a batch, the time to decode it
  weights,    ///< the initial weights
  data,       ///< synthetic samples and labels
  failure,    ///< when a worker dies
  noise,      ///< variation of a device or a link
  part,       ///< which part of a mixture a delay comes from
  spell,      ///< whether a slow spell begins or ends before a mini-batch
  dropout,    ///< which elements a dropout layer keeps
  order,      ///< in which order a worker fetches weights
  length,     ///< the lengths of a mini-batch's sequences
  bucket,     ///< the bucket that a mini-batch is taken from
};

/// 64 random bits as a number in the open interval (0, 1): an odd multiple of 2^-53, so neither the
/// number nor 1 minus the number is ever 0.
constexpr double to_open_unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 12 << 1 | 1) * 0x1p-53;
}

/// The seed of a repeat's data and initial weights; for the first repeat, the experiment's own.
constexpr std::uint64_t seed_of_repeat(std::uint64_t seed, std::uint32_t repeat) {
  if (repeat == 0) return seed;
  const PhiloxCounter words = philox({repeat, 0, 0, 0}, {static_cast<std::uint32_t>(seed),
                                                         static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{words[1]} << 32 | words[0];
}

/// The uniform number in (0, 1) for one purpose, worker and step. `step` counts the mini-batches
/// that `worker` has begun, cancelled ones included. Requires step < 2^48.
constexpr double uniform(std::uint64_t seed, std::uint32_t repeat, Purpose purpose,
                         std::uint32_t worker, std::uint64_t step) {
  assert(step < (std::uint64_t{1} << 48));
  // Every argument has bits of its own, so no two draws of a seed share a counter.
  const std::uint32_t high =
      static_cast<std::uint32_t>(step >> 32) | static_cast<std::uint32_t>(purpose) << 16;
  const PhiloxCounter bits =
      philox({static_cast<std::uint32_t>(step), high, worker, repeat},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return to_open_unit(std::uint64_t{bits[1]} << 32 | bits[0]);
}

}  // namespace paceline
