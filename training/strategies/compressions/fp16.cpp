// SPDX-License-Identifier: MIT
#include "training/strategies/compressions/compression.hpp"

namespace paceline {
namespace {

/// Each number is rounded to the nearest half; an all-reduce adds halves.
class Fp16 final : public Compression {
 public:
  GradientCodec codec() const override { return {GradientCodec::Kind::fp16, 1}; }
  static void describe(Description<Fp16>&) {}
};

}  // namespace

Variant<Compression> fp16_compression() {
  return variant<Fp16, Compression>("fp16", "rounded to halves, 2 bytes a number");
}

}  // namespace paceline
