// SPDX-License-Identifier: MIT
/// \file
/// Copies and sums between this computer's threads while they exchange gradients. Memory is as fast
/// as the cache that holds what all threads touch.
#pragma once
#include <vector>

#include "experiments/language/description.hpp"

namespace paceline {

/// Rates by the bytes of all buffers that the threads use.
struct MemoryRates {
  Bytes touched;          ///< all buffers of all threads
  BytesPerSecond copy;    ///< of one thread that copies alone: bytes copied
  BytesPerSecond sum;     ///< of one thread that adds one gradient to another alone
  BytesPerSecond copies;  ///< of each thread, with one rank a core
  BytesPerSecond sums;    ///< of each thread, with one rank a core
  static void describe(Description<MemoryRates>& d);
};

struct ExchangeProfile {
  std::vector<MemoryRates> memory;  ///< ascending by `touched`, at least one
  Seconds handling;                 ///< per operation, on the single thread that runs all roles
  Seconds start;                    ///< of an operation after its last dependency, besides
  Seconds decision;                 ///< the time that a role's decision adds between two operations

  /// The rates for buffers of `touched` bytes: between two rows on a line over the logarithm of the
  /// bytes; those of the first or last row outside.
  MemoryRates at(Bytes touched) const;
  static void describe(Description<ExchangeProfile>& d);
};

}  // namespace paceline
