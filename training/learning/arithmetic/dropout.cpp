// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/dropout.hpp"

#include <algorithm>

namespace paceline {

void drop(std::span<const float> from, const DropoutDraw& draw, double rate, std::span<float> to) {
  const std::uint32_t threshold = dropout_threshold(rate);
  const float scale = dropout_scale(rate);
  std::uint32_t four = 0;
  for (std::size_t i = 0; i < from.size(); i += 4, ++four) {
    const std::array<bool, 4> mask = keeps_four(draw, four, threshold);
    const std::size_t end = std::min<std::size_t>(4, from.size() - i);
    for (std::size_t k = 0; k < end; ++k) to[i + k] = mask[k] ? scale * from[i + k] : 0.0f;
  }
}

}  // namespace paceline
