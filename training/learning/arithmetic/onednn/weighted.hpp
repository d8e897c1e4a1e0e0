// SPDX-License-Identifier: MIT
/// \file
/// What convolutions and fully connected layers have in common: weights in a layout of the
/// primitive's choice, a bias, and three products.
#pragma once
#include "training/arithmetic/convolutional/operation.hpp"

namespace paceline {

/// One of the products, with the layout in which it wants the weights or gives their gradient.
struct Product {
  dnnl::primitive primitive;  ///< empty: not wanted
  dnnl::memory::desc weights;
  dnnl::memory::desc scratchpad;
};

/// The products of a layer, whose weights are `flat` in the flat layout of the network.
struct Products {
  dnnl::memory::desc flat;
  Product forward, backward_weights, backward_inputs;
};

/// A layer of `products`, whose wiring has as many dimensions as they want.
class Weighted final : public Operation {
 public:
  Weighted(Workbench& bench, const Wiring& wiring, const Products& products);
  void forward(const float* weights) override;
  void backward(const float* weights, float* gradient) override;

 private:
  Workbench& bench_;
  InputTensors input_;
  std::size_t biases_at_;
  dnnl::memory bias_, bias_gradient_;  ///< empty without a bias
  Repacking weights_;
  Repacking weights_gradient_;
  std::unique_ptr<Repacking> back_weights_;  ///< backward may want yet another layout
  dnnl::primitive forward_, backward_weights_, backward_inputs_;
  std::unordered_map<int, dnnl::memory> forward_arguments_, weights_arguments_, inputs_arguments_;
};

}  // namespace paceline
