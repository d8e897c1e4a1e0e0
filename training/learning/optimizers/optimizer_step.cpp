// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/optimizer_step.hpp"

namespace paceline {
namespace {

template <LayerwiseStep Step>
void take_in_layer(const Step& step, const UpdateArrays& arrays, const float scale) {
  const float* w = arrays.from.data();
  const float* g = arrays.gradient.data();
  float* m = arrays.mean.data();
  float* s = arrays.squares.data();
  float no_squares = 0;
  const auto squares = [&](std::size_t i) -> float& { return Step::kSquares ? s[i] : no_squares; };
  double weights = 0, measured = 0;
  for (std::size_t i = 0; i < arrays.to.size(); ++i) {
    const auto number = static_cast<double>(step.measure(scale, w[i], g[i], m[i], squares(i)));
    weights += static_cast<double>(w[i]) * static_cast<double>(w[i]);
    measured += number * number;
  }
  const float ratio = step.ratio(weights, measured);
  for (std::size_t i = 0; i < arrays.to.size(); ++i) {
    arrays.to[i] = step.apply(ratio, scale, w[i], g[i], m[i], squares(i));
  }
}

template <LayerwiseStep Step>
void take(const Step& step, const UpdateArrays& arrays, const float scale) {
  for (std::size_t layer = 0; layer <= arrays.layers.size(); ++layer) {
    take_in_layer(step, arrays.of_layer(layer), scale);
  }
}

template <class Step>
  requires(!LayerwiseStep<Step>)
void take(const Step& step, const UpdateArrays& arrays, const float scale) {
  const float* w = arrays.from.data();
  const float* g = arrays.gradient.data();
  float* m = arrays.mean.data();
  float* s = arrays.squares.data();
  float* out = arrays.to.data();
  for (std::size_t i = 0; i < arrays.to.size(); ++i) {
    float mean = 0, squares = 0;
    if constexpr (Step::kMean) mean = m[i];
    if constexpr (Step::kSquares) squares = s[i];
    const float next = step(scale, w[i], g[i], mean, squares);
    if constexpr (Step::kMean) m[i] = mean;
    if constexpr (Step::kSquares) s[i] = squares;
    out[i] = next;
  }
}

}  // namespace

UpdateArrays UpdateArrays::of_layer(std::size_t layer) const {
  const std::size_t begin = layer == 0 ? 0 : layers[layer - 1];
  const std::size_t size = (layer < layers.size() ? layers[layer] : to.size()) - begin;
  const auto part = [&](auto array) { return array.empty() ? array : array.subspan(begin, size); };
  return {part(from), part(to), part(gradient), part(mean), part(squares), {}};
}

void take_step(const OptimizerStep& step, const UpdateArrays& arrays, float scale) {
  std::visit([&](const auto& kind) { take(kind, arrays, scale); }, step);
}

}  // namespace paceline
