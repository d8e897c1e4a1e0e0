// SPDX-License-Identifier: MIT
#include "experiments/language/share.hpp"
#include "training/strategies/compressions/compression.hpp"

namespace paceline {
namespace {

/// Of each piece of a gradient the numbers of the greatest magnitude travel, with their places; the
/// others are added to the next gradient. Aji & Heafield 2017; the usual share is that of Lin et
/// al. 2018.
class TopK final : public Compression {
 public:
  Percent share_key{0.01};
  GradientCodec codec() const override {
    return {GradientCodec::Kind::top_k, static_cast<float>(share_key.fraction)};
  }
  static void describe(Description<TopK>& d) {
    d.optional("share", &TopK::share_key, "of the numbers that travel, the greatest")
        .above(Percent{0})
        .at_most(Percent{1});
  }
};

}  // namespace

Variant<Compression> top_k_compression() {
  return variant<TopK, Compression>(
      "top-k", "the greatest numbers, 8 bytes each; the rest is added to the next gradient");
}

}  // namespace paceline
