// SPDX-License-Identifier: MIT
#include "training/strategies/compressions/compression.hpp"

namespace paceline {
namespace {

class NoCompression final : public Compression {
 public:
  GradientCodec codec() const override { return {}; }
  static void describe(Description<NoCompression>&) {}
};

}  // namespace

Variant<Compression> no_compression() {
  return variant<NoCompression, Compression>("none", "fp32, 4 bytes a number");
}

}  // namespace paceline
