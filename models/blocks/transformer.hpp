// SPDX-License-Identifier: MIT
/// \file
/// Transformer layers and their parts. T positions of C features are a tensor of C channels, height
/// T and width 1.
#pragma once
#include <optional>

#include "experiments/language/containers.hpp"
#include "experiments/language/share.hpp"
#include "models/block.hpp"

namespace paceline {

/// The place of layer norm: after each residual sum, or before each branch.
enum class NormPlace : std::uint8_t { after, before };
std::span<const EnumName<NormPlace>> enum_names(const NormPlace*);

/// **Does** layers of attention with `heads` heads and of two products with a GELU between, each
/// with dropout, a residual sum and layer norm. With the norm before the branches one more follows
/// the last layer. **Source** Vaswani et al. 2017 (1706.03762), GELU and norm after: Devlin et al.
/// 2018 (1810.04805); norm before: Radford et al. 2019.
struct Transformer final : Block {
  int layers = 1;
  int heads = 1;
  std::optional<int> inner;
  NormPlace norm = NormPlace::after;
  bool causal = false;
  Percent dropout{0.1};

  static void describe(Description<Transformer>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** y = (x - mean) / deviation over a position's channels, scaled and shifted. **Source**
/// Ba et al. 2016 (1607.06450).
struct LayerNorm final : Block {
  static void describe(Description<LayerNorm>&) {}
  void append(NetworkBuilder& builder) const override { builder.layer_norm(); }
};

/// **Does** x Phi(x), Phi the normal distribution function. **Source** Hendrycks & Gimpel 2016
/// (1606.08415).
struct Gelu final : Block {
  static void describe(Description<Gelu>&) {}
  void append(NetworkBuilder& builder) const override { builder.gelu(); }
};

/// **Does** the same product at each position.
struct PositionLinear final : Block {
  int units = 0;
  bool bias = true;

  static void describe(Description<PositionLinear>& d);
  void append(NetworkBuilder& builder) const override { builder.linear(units, bias); }
};

/// **Does** x + a trainable vector of each position.
struct PositionEmbedding final : Block {
  static void describe(Description<PositionEmbedding>&) {}
  void append(NetworkBuilder& builder) const override { builder.position(); }
};

/// **Does** leave all positions out but the first ones.
struct FirstPositions final : Block {
  int count = 1;

  static void describe(Description<FirstPositions>& d);
  void append(NetworkBuilder& builder) const override { builder.select(count); }
};
}  // namespace paceline
