// SPDX-License-Identifier: MIT
#include "models/blocks/dense.hpp"

#include "models/limits.hpp"

namespace paceline {

void FullyConnected::describe(Description<FullyConnected>& d) {
  d.required("units", &FullyConnected::units, "elements of the output")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("bias", &FullyConnected::bias, "a bias per element");
  d.optional("relu", &FullyConnected::relu, "a ReLU follows");
}

void FullyConnected::append(NetworkBuilder& builder) const {
  builder.fully_connected(units, bias);
  if (relu) builder.relu();
}

void Dropout::describe(Description<Dropout>& d) {
  d.optional("rate", &Dropout::rate, "share of the elements that becomes zero")
      .at_least(Percent{0})
      .below(Percent{1});
}

void Classifier::append(NetworkBuilder& builder) const {
  builder.fully_connected(builder.classes(), true);
  builder.softmax();
}
}  // namespace paceline
