// SPDX-License-Identifier: MIT
#include "training/strategies/compressions/compression.hpp"

namespace paceline {
namespace {

/// Each number becomes the mean of those of its sign in its piece of the gradient; the error is
/// added to the next gradient. Seide et al. 2014.
class OneBit final : public Compression {
 public:
  GradientCodec codec() const override { return {GradientCodec::Kind::one_bit, 1}; }
  static void describe(Description<OneBit>&) {}
};

}  // namespace

Variant<Compression> one_bit_compression() {
  return variant<OneBit, Compression>(
      "one-bit", "signs and two means; the error is added to the next gradient");
}

}  // namespace paceline
