// SPDX-License-Identifier: MIT
/// \file
/// The loss at the end of every network that trains, computed for one mini-batch at a time.
#pragma once
#include <memory>
#include <span>

#include "models/network.hpp"

namespace paceline {

/// The mean loss over a mini-batch and its gradient. Sums are in double, in the order of the items.
class Loss {
 public:
  virtual ~Loss() = default;
  /// Sets one target per item. Throws std::invalid_argument on a wrong number of targets or an
  /// invalid target.
  virtual void load(std::span<const float> targets) = 0;
  /// Computes the loss of the network's outputs, [batch x outputs] row by row.
  virtual void forward(std::span<const float> outputs) = 0;
  /// Writes the gradient of the mean loss with respect to the outputs.
  virtual void backward(std::span<float> gradient) const = 0;
  virtual double loss() const = 0;
  /// Share of the items that are classified correctly; NaN where there are no classes.
  virtual double accuracy() const = 0;
};

/// Whether a layer of this kind is a loss.
bool is_loss(LayerKind kind);

/// Makes the loss of `layer` for mini-batches of `batch` items. Requires is_loss(layer.kind).
std::unique_ptr<Loss> make_loss(const Layer& layer, int batch);

}  // namespace paceline
