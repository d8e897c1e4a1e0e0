// SPDX-License-Identifier: MIT
/// \file
/// One update of an optimizer as plain numbers, and the arrays that it reads and writes. The
/// formulas for a single weight are in optimizers/*_step.hpp, shared by the loop of the CPU here
/// and the kernels of GPUs.
#pragma once
#include <cstddef>
#include <span>
#include <variant>

#include "training/learning/optimizers/adagrad_step.hpp"
#include "training/learning/optimizers/adam_step.hpp"
#include "training/learning/optimizers/layerwise.hpp"
#include "training/learning/optimizers/momentum_step.hpp"
#include "training/learning/optimizers/sgd_step.hpp"

namespace paceline {

using OptimizerStep =
    std::variant<SgdStep, MomentumStep, AdagradStep, AdamStep, LambStep, LarsStep>;

/// Arrays of one size; `to` may be `from`. An array that the optimizer does not keep is empty.
struct UpdateArrays {
  std::span<const float> from;
  std::span<float> to;
  std::span<const float> gradient;
  std::span<float> mean;     ///< of the gradients, decaying: a velocity, a first moment
  std::span<float> squares;  ///< of the gradients: summed, or their decaying mean
  /// Where layers after the first begin, ascending, within the arrays; only layer-wise optimizers
  /// look at them.
  std::span<const std::size_t> layers;

  /// The arrays of one layer, counted from 0 to layers.size().
  UpdateArrays of_layer(std::size_t layer) const;
};

/// Updates every weight by a step along `scale` x the gradient.
void take_step(const OptimizerStep& step, const UpdateArrays& arrays, float scale);

}  // namespace paceline
