// SPDX-License-Identifier: MIT
#include <algorithm>

#include "models/limits.hpp"
#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {
namespace {

/// Every whole number from `low` to `high`, equally likely.
struct UniformLength final : LengthDistribution {
  int low = 1;
  int high = 1;

  double share_up_to(int length) const override {
    return std::clamp(static_cast<double>(length - low + 1) / (high - low + 1), 0.0, 1.0);
  }
  std::optional<int> longest() const override { return high; }
  std::string invalid() const { return low <= high ? "" : "'low' must be at most 'high'"; }
  static void describe(Description<UniformLength>& d) {
    d.required("low", &UniformLength::low, "positions of the shortest sequences")
        .at_least(1)
        .at_most(kMostPixels);
    d.required("high", &UniformLength::high, "positions of the longest sequences")
        .at_least(1)
        .at_most(kMostPixels);
  }
};

}  // namespace

Variant<LengthDistribution> uniform_length() {
  return variant<UniformLength, LengthDistribution>("uniform",
                                                    "any length in a range, equally likely");
}

}  // namespace paceline
