// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic of chains of fully connected layers: softmax regression and multi-layer perceptrons.
/// Matrix products and loops over plain arrays, so a step of a small model costs microseconds.
#pragma once
#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/losses/loss.hpp"

namespace paceline {

/// Whether Dense can compute `network`: each layer reads the previous one and is fully connected,
/// an activation, dropout of a vector or, at the end, the loss.
bool is_dense(const Network& network);

/// See Arithmetic. Activations and dropout work in place, on the array of the layer below them.
class Dense final : public Arithmetic {
 public:
  /// Requires is_dense(network).
  Dense(const Network& network, int batch);
  void draw_dropout(const std::optional<DropoutDraw>& draw) override { draw_ = draw; }
  void load(std::span<const float> inputs, std::span<const float> targets) override;
  void forward(int layer, std::span<const float> weights) override;
  void backward(int layer, std::span<const float> weights, std::span<float> gradient) override;
  double loss() const override { return loss_->loss(); }
  double accuracy() const override { return loss_->accuracy(); }

 private:
  /// A layer and the arrays that it works on: indices into values_ and gradients_.
  struct Step {
    LayerKind kind;
    std::int64_t inputs, outputs;  ///< elements of one item
    std::size_t weights, biases;   ///< offsets in the flat layout
    bool bias;
    std::size_t value_in, value_out;
    std::size_t gradient_in, gradient_out;
    double dropout_rate;
    bool first;  ///< no layer below has parameters, so it passes no gradient on
  };

  /// Applies the dropout of layer `layer` to `array`, in place.
  void drop_of(int layer, std::vector<float>& array) const;
  void multiply(const Step& step, std::span<const float> weights);
  void multiply_back(const Step& step, std::span<const float> weights, std::span<float> gradient);

  std::int64_t batch_;
  std::vector<Step> steps_;
  std::vector<std::vector<float>> values_;  ///< the inputs, then a fully connected layer's outputs
  std::vector<std::vector<float>> gradients_;  ///< two, which successive layers use in turn
  std::optional<DropoutDraw> draw_;
  std::unique_ptr<Loss> loss_;
};

}  // namespace paceline
