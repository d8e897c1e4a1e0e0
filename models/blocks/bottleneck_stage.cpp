// SPDX-License-Identifier: MIT
#include "models/blocks/bottleneck_stage.hpp"

#include <array>

#include "models/limits.hpp"

namespace paceline {

namespace {

void append_unit(NetworkBuilder& builder, const BottleneckStage& stage, int stride) {
  const BatchNorm norm = builder.batch_norm_default();
  const std::vector<int> input = builder.open();
  const KernelSize point{1, 1};
  if (builder.shape().channels != stage.channels) {
    builder.convolution_unit(stage.channels, {point, stride, Padding::same}, norm, false);
  } else if (stride != 1) {
    builder.average_pool({point, stride, Padding::same});
  }
  const int shortcut = builder.open().front();
  builder.go_on_from(input);
  const bool late = stage.stride_on == StrideOn::square;
  builder.convolution_unit(stage.inner, {point, late ? 1 : stride, Padding::same}, norm, true);
  builder.convolution_unit(stage.inner, {{3, 3}, late ? stride : 1, Padding::same}, norm, true);
  builder.convolution_unit(stage.channels, {point, 1, Padding::same}, norm, false);
  builder.add(shortcut);
  builder.relu();
}

}  // namespace

std::span<const EnumName<StrideOn>> enum_names(const StrideOn*) {
  static constexpr std::array<EnumName<StrideOn>, 2> kNames{
      {{"1x1", StrideOn::point}, {"3x3", StrideOn::square}}};
  return kNames;
}

void BottleneckStage::describe(Description<BottleneckStage>& d) {
  d.required("blocks", &BottleneckStage::blocks, "residual units")
      .at_least(1)
      .at_most(kMostRepeats);
  d.required("channels", &BottleneckStage::channels, "channels of a unit's output")
      .at_least(1)
      .at_most(kMostChannels);
  d.required("inner", &BottleneckStage::inner, "channels of its 3x3 convolution")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("stride", &BottleneckStage::stride, "stride of the first unit")
      .at_least(1)
      .at_most(kMostPixels);
  d.optional("stride_on", &BottleneckStage::stride_on,
             "the convolution that has it: the first 1x1 (version 1) or the 3x3 (1.5)");
}

void BottleneckStage::append(NetworkBuilder& builder) const {
  for (int unit = 0; unit < blocks && !builder.failed(); ++unit) {
    append_unit(builder, *this, unit == 0 ? stride : 1);
  }
}
}  // namespace paceline
