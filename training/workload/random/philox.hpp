// SPDX-License-Identifier: MIT
/// \file
/// Philox4x32-10, a counter-based random generator: a pure function from (key, counter) to 128
/// random bits, so a draw is the same at any time, in any order and on any thread.
///
/// Source: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
/// the constants and the check values are those of the authors' Random123.
#pragma once
#include <array>
#include <cstdint>

namespace paceline {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// The four random words of `counter` under `key`, after ten rounds.
constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultiply0 = 0xD2511F53;
  constexpr std::uint64_t kMultiply1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // the golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiply0 * counter[0];
    const std::uint64_t product1 = kMultiply1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

}  // namespace paceline
