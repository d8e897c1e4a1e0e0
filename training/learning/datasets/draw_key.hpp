// SPDX-License-Identifier: MIT
/// \file
/// Keys of a dataset's random numbers. The numbers of mini-batches and those of the dataset's
/// ground truth have different keys.
#pragma once
#include <cstdint>

#include "training/workload/random/draw.hpp"

namespace paceline {

/// The purpose of a dataset's random numbers.
enum class DrawUse : std::uint32_t {
  truth,  ///< the ground truth to be learned; worker and step are 0
  items,  ///< a worker's mini-batch
};

inline PhiloxKey draw_key(std::uint64_t seed, DrawUse use, int worker = 0, std::int64_t step = 0) {
  const auto purpose = static_cast<std::uint32_t>(Purpose::data) << 16;
  const auto count = static_cast<std::uint64_t>(step);
  const PhiloxCounter words =
      philox({static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32) | purpose,
              static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(use)},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {words[0], words[1]};
}

/// A whole number in [0, `count`), uniform but for a bias of count / 2^32, for item `item` of the
/// mini-batch of `key`. `what` distinguishes several numbers of one item; it is >= 1, because
/// add_normal uses 0.
inline std::uint32_t draw_below(std::uint32_t count, PhiloxKey key, std::uint32_t item,
                                std::uint32_t what = 1) {
  const std::uint64_t word = philox({0, item, what, 0}, key)[0];
  return static_cast<std::uint32_t>(word * count >> 32);
}

}  // namespace paceline
