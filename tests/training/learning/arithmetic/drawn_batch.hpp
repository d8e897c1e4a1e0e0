// SPDX-License-Identifier: MIT
/// \file
/// One mini-batch and one pass over it, for the tests of arithmetic.
#pragma once
#include <vector>

#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/datasets/gaussian_mixture.hpp"
#include "training/learning/datasets/token_mixture.hpp"

namespace paceline {

struct RandomBatch {
  std::vector<float> inputs;
  std::vector<float> targets;

  RandomBatch(const Network& network, int items, int worker = 0, std::int64_t step = 0,
              double separation = 6)
      : inputs(static_cast<std::size_t>(items * network.input.elements())),
        targets(static_cast<std::size_t>(items)) {
    if (network.vocabulary() > 0) {
      TokenMixture tokens;
      tokens.vocabulary = network.vocabulary();
      tokens.draw(network.input, network.classes, 1, worker, step, inputs, targets);
      return;
    }
    GaussianMixture mixture;
    mixture.separation = separation;
    mixture.draw(network.input, network.classes, 1, worker, step, inputs, targets);
  }
};

/// Runs forward through all layers.
inline void ahead(Arithmetic& arithmetic, const Network& network, const RandomBatch& batch,
                  std::span<const float> weights) {
  arithmetic.load(batch.inputs, batch.targets);
  const int layers = static_cast<int>(network.layers.size());
  for (int i = 0; i < layers; ++i) arithmetic.forward(i, weights);
}

/// Runs forward and backward through all layers; returns the gradient.
inline std::vector<float> pass(Arithmetic& arithmetic, const Network& network,
                               const RandomBatch& batch, std::span<const float> weights) {
  ahead(arithmetic, network, batch, weights);
  std::vector<float> gradient(weights.size());
  for (int i = static_cast<int>(network.layers.size()) - 1; i >= 0; --i) {
    arithmetic.backward(i, weights, gradient);
  }
  return gradient;
}

}  // namespace paceline
