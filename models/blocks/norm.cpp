// SPDX-License-Identifier: MIT
#include "models/blocks/norm.hpp"

#include "models/limits.hpp"

namespace paceline {

void BatchNormBlock::describe(Description<BatchNormBlock>& d) {
  d.optional("scale", &BatchNormBlock::scale, "a trainable scale beside the shift");
  d.optional("relu", &BatchNormBlock::relu, "a ReLU follows");
}

void BatchNormBlock::append(NetworkBuilder& builder) const {
  builder.batch_norm(scale);
  if (relu) builder.relu();
}

void LocalResponseNorm::describe(Description<LocalResponseNorm>& d) {
  d.optional("size", &LocalResponseNorm::size, "neighbouring channels in a sum")
      .at_least(1)
      .at_most(kMostPixels);
  d.optional("alpha", &LocalResponseNorm::alpha, "weight of the mean of squares").at_least(0);
  d.optional("beta", &LocalResponseNorm::beta, "exponent").at_least(0);
}

void LocalResponseNorm::append(NetworkBuilder& builder) const {
  builder.local_response_norm(size, alpha, beta);
}
}  // namespace paceline
