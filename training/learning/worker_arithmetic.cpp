// SPDX-License-Identifier: MIT
#include "training/learning/worker_arithmetic.hpp"

#include <limits>

namespace paceline {

WorkerArithmetic::WorkerArithmetic(const Network& network, int batch, const Dataset& dataset,
                                   std::uint64_t seed)
    : network_(network),
      dataset_(dataset),
      seed_(seed),
      arithmetic_(make_arithmetic(network, batch)),
      inputs_(static_cast<std::size_t>(network.input.elements()) * static_cast<std::size_t>(batch)),
      targets_(static_cast<std::size_t>(batch)),
      last_loss_(std::numeric_limits<double>::quiet_NaN()) {}

void WorkerArithmetic::compute(LayerRange layers, WorkId work, std::span<const float> weights,
                               std::span<float> gradient, const std::function<bool()>& stop) {
  if (layers.pass == Pass::forward) {
    if (layers.first == 0) {
      dataset_.draw(network_.input, network_.classes, seed_, work.worker, work.step, inputs_,
                    targets_);
      arithmetic_->draw_dropout(dropout_draw(seed_, static_cast<std::uint32_t>(work.worker),
                                             static_cast<std::uint64_t>(work.step)));
      arithmetic_->load(inputs_, targets_);
    }
    for (int layer = layers.first; layer < layers.last && !stop(); ++layer) {
      arithmetic_->forward(layer, weights);
    }
    if (layers.last == static_cast<int>(network_.layers.size()) && !stop()) {
      last_loss_ = arithmetic_->loss();
    }
    return;
  }
  for (int layer = layers.last - 1; layer >= layers.first && !stop(); --layer) {
    arithmetic_->backward(layer, weights, gradient);
  }
}

}  // namespace paceline
