// SPDX-License-Identifier: MIT
#include "models/blocks/dense_stage.hpp"

#include "models/limits.hpp"

namespace paceline {

void DenseStage::describe(Description<DenseStage>& d) {
  d.required("blocks", &DenseStage::blocks, "densely connected units")
      .at_least(1)
      .at_most(kMostRepeats);
  d.required("growth", &DenseStage::growth, "channels that each unit adds")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("inner", &DenseStage::inner, "channels of a 1x1 convolution before the 3x3; 0: none")
      .at_least(0)
      .at_most(kMostChannels);
  d.optional("bias", &DenseStage::bias, "the convolutions have a bias");
}

void DenseStage::append(NetworkBuilder& builder) const {
  for (int unit = 0; unit < blocks && !builder.failed(); ++unit) {
    const int input = builder.open().front();
    builder.batch_norm(true);
    builder.relu();
    if (inner > 0) {
      builder.convolution(inner, {{1, 1}, 1, Padding::same}, bias);
      builder.batch_norm(true);
      builder.relu();
    }
    builder.convolution(growth, {{3, 3}, 1, Padding::same}, bias);
    builder.go_on_from({input, builder.open().front()});
    builder.concat();
  }
}
}  // namespace paceline
