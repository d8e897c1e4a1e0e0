// SPDX-License-Identifier: MIT
#include "exec/calibrate/step.hpp"

namespace paceline {

std::vector<Bytes> probed_sizes(Effort effort, Bytes most) {
  constexpr double kLeast = 1024;
  const bool quick = effort == Effort::quick;
  const double largest = quick ? 64.0 * 1048576 : 256.0 * 1048576;
  std::vector<Bytes> sizes;
  for (double size = kLeast; size <= largest; size *= quick ? 16 : 4) {
    if (sizes.empty() || Bytes{size} <= most) sizes.emplace_back(size);
  }
  return sizes;
}

}  // namespace paceline
