// SPDX-License-Identifier: MIT
#include "training/workload/random/philox.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// The known answers of Random123 (kat_vectors, philox4x32-10).
TEST(Philox, answers_as_random123_does) {
  static_assert(philox({0, 0, 0, 0}, {0, 0}) ==
                PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  static_assert(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}) ==
                PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // The digits of pi as key and counter, from the same vectors.
  static_assert(
      philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
      PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// The function spreads like a cipher: one flipped bit of the counter changes about half of the 128
// bits.
TEST(Philox, spreads_one_flipped_bit_over_all_words) {
  const PhiloxCounter from = philox({1, 2, 3, 4}, {5, 6});
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const PhiloxCounter to = philox({1U ^ 1U << bit, 2, 3, 4}, {5, 6});
    int changed = 0;
    for (std::size_t i = 0; i < 4; ++i) changed += __builtin_popcount(from[i] ^ to[i]);
    EXPECT_GT(changed, 36) << "bit " << bit;  // 5 deviations of a fair count around 64
    EXPECT_LT(changed, 92) << "bit " << bit;
  }
}

}  // namespace
}  // namespace paceline
