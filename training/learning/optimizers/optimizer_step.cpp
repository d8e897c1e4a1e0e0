// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/optimizer_step.hpp"

namespace paceline {
namespace {

template <class Step>
void take(const Step step, const UpdateArrays& arrays, const float scale) {
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

void take_step(const OptimizerStep& step, const UpdateArrays& arrays, float scale) {
  std::visit([&](const auto& kind) { take(kind, arrays, scale); }, step);
}

}  // namespace paceline
