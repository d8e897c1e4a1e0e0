// SPDX-License-Identifier: MIT
#include "models/limits.hpp"
#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {
namespace {

struct ConstantLength final : LengthDistribution {
  int length = 1;

  double share_up_to(int other) const override { return other >= length ? 1 : 0; }
  std::optional<int> longest() const override { return length; }
  static void describe(Description<ConstantLength>& d) {
    d.required("length", &ConstantLength::length, "positions of every sequence")
        .at_least(1)
        .at_most(kMostPixels);
  }
};

}  // namespace

Variant<LengthDistribution> constant_length() {
  return variant<ConstantLength, LengthDistribution>("constant", "all sequences have one length");
}

}  // namespace paceline
