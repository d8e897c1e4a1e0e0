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

std::span<const EnumName<Classified>> enum_names(const Classified*) {
  static constexpr EnumName<Classified> kNames[] = {{"item", Classified::item},
                                                    {"position", Classified::position}};
  return kNames;
}

void Classifier::describe(Description<Classifier>& d) {
  d.optional("each", &Classifier::each, "what has a class: an item, or each of its positions");
  d.optional("tied", &Classifier::tied, "its weights are the embedding's table, without a bias");
}

void Classifier::append(NetworkBuilder& builder) const {
  const Shape shape = builder.shape();
  const bool vector = shape.height == 1 && shape.width == 1;
  if (each == Classified::item && tied && !vector) {
    return builder.fail(
        "a tied classifier of an item reads a vector (a global-average-pool, or "
        "'first-positions: {count: 1}', makes one)");
  }
  if (tied) {
    builder.tied_linear();
    if (!builder.failed() && builder.shape().channels != builder.classes()) {
      builder.fail("a tied classifier has as many classes as the embedding tokens, " +
                   std::to_string(builder.shape().channels));
    }
  } else if (each == Classified::position) {
    builder.linear(builder.classes(), true);
  } else {
    builder.fully_connected(builder.classes(), true);
  }
  builder.softmax();
}
}  // namespace paceline
