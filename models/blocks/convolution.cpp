// SPDX-License-Identifier: MIT
#include "models/blocks/convolution.hpp"

#include "models/limits.hpp"

namespace paceline {

void Convolution::describe(Description<Convolution>& d) {
  d.required("channels", &Convolution::channels, "channels of the output")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("kernel", &Convolution::kernel, "window: 3, or 1x7 for height x width");
  d.optional("stride", &Convolution::stride, "step of the window").at_least(1).at_most(kMostPixels);
  d.optional("padding", &Convolution::padding,
             "same, valid, or symmetric: (kernel - 1) / 2 on each side");
  d.optional("bias", &Convolution::bias,
             "a bias per channel; default: true if no batch norm follows");
  d.optional("batch_norm", &Convolution::batch_norm, "default: the network's `batch_norm`");
  d.optional("relu", &Convolution::relu, "a ReLU follows");
}

void Convolution::append(NetworkBuilder& builder) const {
  const BatchNorm norm = batch_norm.value_or(builder.batch_norm_default());
  builder.convolution(channels, {kernel, stride, padding}, bias.value_or(norm == BatchNorm::none));
  if (norm != BatchNorm::none) builder.batch_norm(norm == BatchNorm::scale);
  if (relu) builder.relu();
}
}  // namespace paceline
