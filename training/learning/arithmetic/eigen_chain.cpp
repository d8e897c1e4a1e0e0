// SPDX-License-Identifier: MIT
// With X the inputs [batch x in], W the weights [out x in] and b the biases, all row by row:
//   forward   Y = X W^T + b
//   backward  dW = dY^T X,  db = sum of dY's rows,  dX = dY W
// oneDNN computes the products, Eigen everything else.
#include "training/learning/arithmetic/eigen_chain.hpp"

#include <algorithm>
#include <stdexcept>

#include <Eigen/Core>

#include "training/learning/arithmetic/dropout.hpp"
#include "training/learning/arithmetic/matrix_product.hpp"
#include "training/learning/arithmetic/single_thread.hpp"

namespace paceline {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::RowVectorXf;

}  // namespace

bool is_dense(const Network& network) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.inputs != std::vector<int>{static_cast<int>(i) - 1}) return false;
    if (layer.kind != LayerKind::fully_connected && layer.kind != LayerKind::activation &&
        layer.kind != LayerKind::dropout && !is_loss(layer.kind)) {
      return false;
    }
    // Here inputs are stored channel by channel, while dropout counts a pixel's channels side by
    // side.
    if (layer.kind == LayerKind::dropout && layer.in.elements() != layer.in.channels) return false;
  }
  return true;
}

Dense::Dense(const Network& network, int batch)
    : batch_(batch), gradients_(2), loss_(make_loss(network.layers.back(), batch)) {
  const auto items = static_cast<std::size_t>(batch);
  const std::vector<std::int64_t> offsets = network.parameter_offsets();
  values_.emplace_back(items * static_cast<std::size_t>(network.input.elements()));
  std::size_t widest = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    Step step{};
    step.kind = layer.kind;
    step.inputs = layer.in.elements();
    step.outputs = layer.out.elements();
    step.weights = static_cast<std::size_t>(offsets[i]);
    step.biases = step.weights + static_cast<std::size_t>(step.inputs * step.outputs);
    step.bias = layer.bias;
    step.dropout_rate = layer.dropout_rate;
    step.value_in = step.value_out = values_.size() - 1;
    step.gradient_in = step.gradient_out = step.value_in % 2;
    if (layer.kind == LayerKind::fully_connected) {
      step.first = step.value_in == 0;
      step.value_out = values_.size();
      step.gradient_out = step.value_out % 2;
      values_.emplace_back(items * static_cast<std::size_t>(step.outputs));
    }
    widest = std::max(widest, values_.back().size());
    steps_.push_back(step);
  }
  for (auto& gradient : gradients_) gradient.resize(widest);
}

void Dense::load(std::span<const float> inputs, std::span<const float> targets) {
  if (inputs.size() != values_[0].size()) throw std::invalid_argument("not a batch of inputs");
  loss_->load(targets);
  std::copy(inputs.begin(), inputs.end(), values_[0].begin());
}

void Dense::forward(int layer, std::span<const float> weights) {
  const Step& step = steps_[static_cast<std::size_t>(layer)];
  std::vector<float>& value = values_[step.value_out];
  if (step.kind == LayerKind::fully_connected) {
    multiply(step, weights);
  } else if (step.kind == LayerKind::activation) {
    Eigen::Map<Matrix> y(value.data(), batch_, step.outputs);
    y = y.cwiseMax(0.0f);
  } else if (step.kind == LayerKind::dropout) {
    drop_of(layer, value);
  } else if (is_loss(step.kind)) {
    loss_->forward(value);
  }
}

void Dense::backward(int layer, std::span<const float> weights, std::span<float> gradient) {
  const Step& step = steps_[static_cast<std::size_t>(layer)];
  float* passed = gradients_[step.gradient_in].data();
  if (step.kind == LayerKind::fully_connected) {
    multiply_back(step, weights, gradient);
  } else if (step.kind == LayerKind::activation) {
    const Eigen::Map<const Matrix> y(values_[step.value_out].data(), batch_, step.outputs);
    Eigen::Map<Matrix> dy(passed, batch_, step.outputs);
    dy = (y.array() > 0.0f).select(dy, 0.0f);
  } else if (step.kind == LayerKind::dropout) {
    drop_of(layer, gradients_[step.gradient_in]);
  } else if (is_loss(step.kind)) {
    loss_->backward(gradients_[step.gradient_in]);
  }
}

void Dense::drop_of(int layer, std::vector<float>& array) const {
  if (!draw_) return;
  const Step& step = steps_[static_cast<std::size_t>(layer)];
  DropoutDraw mine = *draw_;
  mine.layer = static_cast<std::uint32_t>(layer);
  const std::span<float> items =
      std::span(array).first(static_cast<std::size_t>(batch_ * step.outputs));
  drop(items, mine, step.dropout_rate, items);
}

void Dense::multiply(const Step& step, std::span<const float> weights) {
  const SingleThread only_this;
  product(batch_, step.outputs, step.inputs, {values_[step.value_in].data(), step.inputs},
          {weights.data() + step.weights, step.inputs, true}, values_[step.value_out].data(),
          step.outputs);
  if (!step.bias) return;
  Eigen::Map<Matrix> y(values_[step.value_out].data(), batch_, step.outputs);
  y.rowwise() += Eigen::Map<const RowVector>(weights.data() + step.biases, step.outputs);
}

void Dense::multiply_back(const Step& step, std::span<const float> weights,
                          std::span<float> gradient) {
  const SingleThread only_this;
  const float* dy = gradients_[step.gradient_out].data();
  product(step.outputs, step.inputs, batch_, {dy, step.outputs, true},
          {values_[step.value_in].data(), step.inputs}, gradient.data() + step.weights,
          step.inputs);
  if (step.bias) {
    Eigen::Map<RowVector>(gradient.data() + step.biases, step.outputs) =
        Eigen::Map<const Matrix>(dy, batch_, step.outputs).colwise().sum();
  }
  if (step.first) return;
  product(batch_, step.inputs, step.outputs, {dy, step.outputs},
          {weights.data() + step.weights, step.inputs}, gradients_[step.gradient_in].data(),
          step.inputs);
}

}  // namespace paceline
