// SPDX-License-Identifier: MIT
#include "exec/calibrate/step.hpp"

namespace paceline {

std::vector<Bytes> probed_sizes(Effort effort, Bytes most) {
  constexpr std::int64_t kLeast = 1024;
  const bool quick = effort == Effort::quick;
  const std::int64_t largest = (quick ? 64 : 256) * std::int64_t{1048576};
  std::vector<Bytes> sizes;
  for (std::int64_t size = kLeast; size <= largest; size *= quick ? 16 : 4) {
    const Bytes bytes{static_cast<double>(size)};
    if (sizes.empty() || bytes <= most) sizes.push_back(bytes);
  }
  return sizes;
}

}  // namespace paceline
