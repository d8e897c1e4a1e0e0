// SPDX-License-Identifier: MIT
#include "training/learning/worker_arithmetic.hpp"

#include <limits>

#include "models/sequence_length.hpp"

namespace paceline {
namespace {

/// Shapes of mini-batches that are rarer get their arrays when the first one is drawn.
constexpr double kRare = 1e-6;

}  // namespace

WorkerArithmetic::WorkerArithmetic(const Network& network, int batch, const Dataset& dataset,
                                   std::uint64_t seed, std::shared_ptr<const BatchLengths> lengths)
    : network_(network),
      dataset_(dataset),
      seed_(seed),
      lengths_(std::move(lengths)),
      last_loss_(std::numeric_limits<double>::quiet_NaN()) {
  if (lengths_ == nullptr) {
    by_shape_.push_back(make_arithmetic(network, batch));
    arithmetic_ = by_shape_.front().get();
    targets_.resize(static_cast<std::size_t>(batch));
    inputs_.resize(static_cast<std::size_t>(network.input.elements()) * targets_.size());
    return;
  }
  by_shape_.resize(lengths_->shapes().size());
  for (std::size_t shape = 0; shape < by_shape_.size(); ++shape) {
    if (lengths_->shapes()[shape].chance >= kRare) arithmetic_of(shape);
  }
}

/// The arithmetic of mini-batches of one shape.
Arithmetic& WorkerArithmetic::arithmetic_of(std::size_t shape) {
  std::unique_ptr<Arithmetic>& made = by_shape_[shape];
  if (made == nullptr) {
    const BatchShape& size = lengths_->shapes()[shape];
    made = make_arithmetic(at_length(network_, size.length), size.items, true);
  }
  return *made;
}

void WorkerArithmetic::draw_sequences(WorkId work) {
  const DrawnBatch drawn = lengths_->draw(seed_, work.worker, work.step, own_);
  Shape input = network_.input;
  input.height = lengths_->shapes()[drawn.shape].length;
  targets_.resize(own_.size());
  inputs_.resize(static_cast<std::size_t>(input.elements()) * own_.size());
  ranks_.clear();
  for (const int own : own_) ranks_.push_back(lengths_->rank(own));
  dataset_.draw_sequences(input, network_.classes, seed_, work.worker, work.step, {own_, ranks_},
                          inputs_, targets_);
  arithmetic_ = &arithmetic_of(drawn.shape);
  arithmetic_->set_lengths(own_);
}

void WorkerArithmetic::draw(WorkId work) {
  if (lengths_ != nullptr) {
    draw_sequences(work);
  } else {
    dataset_.draw(network_.input, network_.classes, seed_, work.worker, work.step, inputs_,
                  targets_);
  }
  arithmetic_->draw_dropout(dropout_draw(seed_, static_cast<std::uint32_t>(work.worker),
                                         static_cast<std::uint64_t>(work.step)));
  arithmetic_->load(inputs_, targets_);
}

void WorkerArithmetic::validate_on(int batch) {
  validation_ = make_arithmetic(network_, batch);
  validation_targets_.resize(static_cast<std::size_t>(batch));
  validation_inputs_.resize(validation_targets_.size() *
                            static_cast<std::size_t>(network_.input.elements()));
}

void WorkerArithmetic::validate(LayerRange layers, RoleId worker, std::int64_t number,
                                std::span<const float> weights, const std::function<bool()>& stop) {
  if (layers.first == 0) {
    dataset_.held_out(network_.input, network_.classes, seed_, validation_block(worker, number),
                      validation_inputs_, validation_targets_);
    validation_->load(validation_inputs_, validation_targets_);
  }
  for (int layer = layers.first; layer < layers.last && !stop(); ++layer) {
    validation_->forward(layer, weights);
  }
}

void WorkerArithmetic::compute(LayerRange layers, WorkId work, std::span<const float> weights,
                               std::span<float> gradient, const std::function<bool()>& stop) {
  if (layers.pass == Pass::forward) {
    if (layers.first == 0) draw(work);
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
