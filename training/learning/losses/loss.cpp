// SPDX-License-Identifier: MIT
#include "training/learning/losses/loss.hpp"

#include "training/learning/losses/cross_entropy.hpp"
#include "training/learning/losses/squared_error.hpp"

namespace paceline {

bool is_loss(LayerKind kind) {
  return kind == LayerKind::softmax || kind == LayerKind::squared_error;
}

std::unique_ptr<Loss> make_loss(const Layer& layer, int batch) {
  if (layer.kind == LayerKind::squared_error) return std::make_unique<SquaredError>(batch);
  return std::make_unique<CrossEntropy>(batch, static_cast<int>(layer.in.elements()));
}

}  // namespace paceline
