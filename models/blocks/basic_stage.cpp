// SPDX-License-Identifier: MIT
#include "models/blocks/basic_stage.hpp"

#include <array>

#include "models/limits.hpp"

namespace paceline {

namespace {

void append_shortcut(NetworkBuilder& builder, int channels, int stride, Shortcut kind) {
  const int from = builder.shape().channels;
  if (kind == Shortcut::convolution && (stride != 1 || from != channels)) {
    const BatchNorm norm = builder.batch_norm_default();
    return builder.convolution_unit(channels, {{1, 1}, stride, Padding::same}, norm, false);
  }
  if (stride != 1) builder.average_pool({{1, 1}, stride, Padding::same});
  if (from != channels) builder.pad_channels(channels);
}

void append_convolutions(NetworkBuilder& builder, int channels, int stride) {
  const BatchNorm norm = builder.batch_norm_default();
  builder.convolution_unit(channels, {{3, 3}, stride, Padding::symmetric}, norm, true);
  builder.convolution_unit(channels, {{3, 3}, 1, Padding::same}, norm, false);
}

/// torchvision computes a shortcut that has parameters after the convolutions, so that its
/// gradients come before theirs; tf_cnn_benchmarks pads before them.
void append_unit(NetworkBuilder& builder, int channels, int stride, Shortcut kind) {
  const std::vector<int> input = builder.open();
  if (kind == Shortcut::convolution) {
    append_convolutions(builder, channels, stride);
    const std::vector<int> convolved = builder.open();
    builder.go_on_from(input);
    append_shortcut(builder, channels, stride, kind);
    const int shortcut = builder.open().front();
    builder.go_on_from(convolved);
    builder.add(shortcut);
  } else {
    append_shortcut(builder, channels, stride, kind);
    const int shortcut = builder.open().front();
    builder.go_on_from(input);
    append_convolutions(builder, channels, stride);
    builder.add(shortcut);
  }
  builder.relu();
}

}  // namespace

std::span<const EnumName<Shortcut>> enum_names(const Shortcut*) {
  static constexpr std::array<EnumName<Shortcut>, 2> kNames{
      {{"zeros", Shortcut::zeros}, {"convolution", Shortcut::convolution}}};
  return kNames;
}

void BasicStage::describe(Description<BasicStage>& d) {
  d.required("blocks", &BasicStage::blocks, "residual units").at_least(1).at_most(kMostRepeats);
  d.required("channels", &BasicStage::channels, "channels of a unit's output")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("stride", &BasicStage::stride, "stride of the first unit")
      .at_least(1)
      .at_most(kMostPixels);
  d.optional("shortcut", &BasicStage::shortcut,
             "shortcut of a unit that changes the shape: zeros pads the channels, convolution is a "
             "1x1 with batch norm");
}

void BasicStage::append(NetworkBuilder& builder) const {
  for (int unit = 0; unit < blocks && !builder.failed(); ++unit) {
    append_unit(builder, channels, unit == 0 ? stride : 1, shortcut);
  }
}
}  // namespace paceline
