// SPDX-License-Identifier: MIT
/// \file
/// The contents of the ranks' buffers before a collective, and what they must be after it. Small
/// integers, so that every order of the sums gives the same floats.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/training/strategies/collectives/every_schedule.hpp"

namespace paceline {

/// The value of `rank` at parameter `i`: 0 to 1006, different from rank to rank.
inline float contribution(int rank, std::int64_t i) {
  return static_cast<float>((i * 31 + rank * 173) % 1007);
}

inline std::vector<float> sums_of_contributions(int ranks, std::int64_t size) {
  std::vector<float> sums(static_cast<std::size_t>(size));
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::int64_t i = 0; i < size; ++i) {
      sums[static_cast<std::size_t>(i)] += contribution(rank, i);
    }
  }
  return sums;
}

/// The buffer of a rank after an all-to-all, with the parts from others that are in its landing.
inline std::vector<float> with_landed(const CollectiveSchedule& schedule, int rank,
                                      std::span<const float> have, std::span<const float> landing) {
  std::vector<float> all(have.begin(), have.end());
  const std::size_t parts = static_cast<std::size_t>(schedule.parts());
  const std::size_t quotient = have.size() / parts, surplus = have.size() % parts;
  const std::size_t place = quotient + (surplus > 0 ? 1 : 0);
  for (std::size_t part = 0; part < parts; ++part) {
    if (part == static_cast<std::size_t>(rank)) continue;
    const std::size_t begin = part * quotient + std::min(part, surplus);
    const std::size_t both =
        quotient + (part < surplus && static_cast<std::size_t>(rank) < surplus ? 1 : 0);
    for (std::size_t i = 0; i < both; ++i) all[begin + i] = landing[part * place + i];
  }
  return all;
}

/// The first wrong parameter of a rank's buffer after one slice of `schedule`; -1: none.
/// \param sums those of the contributions
inline std::int64_t first_wrong(const CollectiveSchedule& schedule, Result result, int rank,
                                std::span<const float> have, const std::vector<float>& sums) {
  const auto size = static_cast<std::int64_t>(have.size());
  const auto begin_of = [&](int part) {  // the first parts have one parameter more
    return part * (size / schedule.parts()) + std::min<std::int64_t>(part, size % schedule.parts());
  };
  int part = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    while (i >= begin_of(part + 1)) ++part;
    const auto at = static_cast<std::size_t>(i);
    float expected = have[at];  // unless the result is defined here
    if (result == Result::all_sums || (result == Result::own_sums && part == rank) ||
        (result == Result::sums_of_first && rank == 0)) {
      expected = sums[at];
    } else if (result == Result::of_first) {
      expected = contribution(0, i);
    } else if (result == Result::of_owners) {
      expected = contribution(part, i);
    } else if (result == Result::transposed) {
      // parts may differ by a parameter; what both have is exchanged
      const std::int64_t there = begin_of(rank) + (i - begin_of(part));
      if (there < begin_of(rank + 1)) expected = contribution(part, there);
    }
    if (have[at] != expected) return i;
  }
  return -1;
}

}  // namespace paceline
