// SPDX-License-Identifier: MIT
#include "sim/devices/path_table.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// System:   the pairs of 300 ends, in both directions, looked up twice
// Expected: each is new once, keeps its path, and its path stays where it is.
TEST(PathTable, FindsThePathOfEachPair) {
  constexpr std::uint32_t kEnds = 300;
  PathTable<std::uint64_t> table;
  std::vector<std::uint64_t*> places;
  for (std::uint32_t from = 0; from < kEnds; ++from) {
    for (std::uint32_t to = 0; to < kEnds; ++to) {
      const auto [path, fresh] = table.at(from, to);
      ASSERT_TRUE(fresh);
      path = std::uint64_t{from} * kEnds + to;
      places.push_back(&path);
    }
  }
  for (std::uint32_t from = kEnds; from-- > 0;) {
    for (std::uint32_t to = 0; to < kEnds; ++to) {
      const auto [path, fresh] = table.at(from, to);
      ASSERT_FALSE(fresh);
      ASSERT_EQ(path, std::uint64_t{from} * kEnds + to);
      ASSERT_EQ(&path, places[from * kEnds + to]);
    }
  }
}

}  // namespace
}  // namespace paceline
