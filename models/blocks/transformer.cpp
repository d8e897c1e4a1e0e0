// SPDX-License-Identifier: MIT
#include "models/blocks/transformer.hpp"

#include "models/limits.hpp"

namespace paceline {
namespace {

constexpr int kInnerOfFeatures = 4;  // Vaswani et al. 2017, section 3.3

/// A residual branch: `add_layers` between its norm, dropout and sum.
template <class AddLayers>
void append_branch(NetworkBuilder& builder, const Transformer& block, const AddLayers& add_layers) {
  if (builder.failed()) return;
  const int source = builder.open().front();
  if (block.norm == NormPlace::before) builder.layer_norm();
  add_layers();
  if (block.dropout.fraction > 0) builder.dropout(block.dropout.fraction);
  if (!builder.failed()) builder.add(source);
  if (block.norm == NormPlace::after) builder.layer_norm();
}

}  // namespace

std::span<const EnumName<NormPlace>> enum_names(const NormPlace*) {
  static constexpr EnumName<NormPlace> kNames[] = {{"after", NormPlace::after},
                                                   {"before", NormPlace::before}};
  return kNames;
}

void Transformer::describe(Description<Transformer>& d) {
  d.optional("layers", &Transformer::layers, "number of layers").at_least(1).at_most(kMostRepeats);
  d.required("heads", &Transformer::heads, "equal parts of the features that attend apart")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("inner", &Transformer::inner,
             "features between the two products (default: four times those of the input)")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("norm", &Transformer::norm, "layer norm after each sum, or before each branch");
  d.optional("causal", &Transformer::causal, "a position attends to itself and those before it");
  d.optional("dropout", &Transformer::dropout, "of each branch")
      .at_least(Percent{0})
      .below(Percent{1});
}

void Transformer::append(NetworkBuilder& builder) const {
  const Shape shape = builder.shape();
  if (builder.failed()) return;
  if (shape.width != 1) return builder.fail("a transformer reads a sequence, of width 1");
  const int features = shape.channels;
  for (int i = 0; i < layers && !builder.failed(); ++i) {
    append_branch(builder, *this, [&] {
      builder.linear(3 * features, true);
      builder.attention(heads, causal);
      builder.linear(features, true);
    });
    append_branch(builder, *this, [&] {
      builder.linear(inner.value_or(kInnerOfFeatures * features), true);
      builder.gelu();
      builder.linear(features, true);
    });
  }
  if (norm == NormPlace::before) builder.layer_norm();
}

void PositionLinear::describe(Description<PositionLinear>& d) {
  d.required("units", &PositionLinear::units, "features of the output")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("bias", &PositionLinear::bias, "a bias per feature");
}

void FirstPositions::describe(Description<FirstPositions>& d) {
  d.required("count", &FirstPositions::count, "positions kept").at_least(1).at_most(kMostPixels);
}
}  // namespace paceline
