// SPDX-License-Identifier: MIT
/// \file
/// One update of an optimizer as plain numbers, and the arrays it goes over. The formula of a
/// single weight is in optimizers/*_step.hpp, for the CPU's loop here and for GPUs' kernels.
#pragma once
#include <span>
#include <variant>

#include "training/arithmetic/optimizers/adagrad_step.hpp"
#include "training/arithmetic/optimizers/adam_step.hpp"
#include "training/arithmetic/optimizers/momentum_step.hpp"
#include "training/arithmetic/optimizers/sgd_step.hpp"

namespace paceline {

using OptimizerStep = std::variant<SgdStep, MomentumStep, AdagradStep, AdamStep>;

/// Arrays of one size; `to` may be `from` itself. What the optimizer does not remember is empty.
struct UpdateArrays {
  std::span<const float> from;
  std::span<float> to;
  std::span<const float> gradient;
  std::span<float> mean;     ///< of the gradients, decaying: a velocity, a first moment
  std::span<float> squares;  ///< of the gradients: summed, or their decaying mean
};

/// Takes the step in every weight, along `scale` x the gradient.
void take_step(const OptimizerStep& step, const UpdateArrays& arrays, float scale);

}  // namespace paceline
