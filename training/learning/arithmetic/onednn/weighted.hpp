// SPDX-License-Identifier: MIT
/// \file
/// The common part of convolutions and fully connected layers: weights in a layout that the
/// primitive chooses, a bias, and three products.
#pragma once
#include "training/learning/arithmetic/onednn/operation.hpp"

namespace paceline {

/// One of the products, with the layout that it requires for the weights or gives their gradient.
struct Product {
  dnnl::primitive primitive;  ///< empty: not needed
  dnnl::memory::desc weights;
  dnnl::memory::desc scratchpad;
};

/// The products of a layer; `flat` is the layout of its weights in the network's flat array.
struct Products {
  dnnl::memory::desc flat;
  Product forward, backward_weights, backward_inputs;
};

/// A layer of `products`. The tensors of the wiring must have the dimensions that the products
/// take.
class Weighted final : public LayerOperation {
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
  std::unique_ptr<Repacking> back_weights_;  ///< backward may require a third layout
  dnnl::primitive forward_, backward_weights_, backward_inputs_;
  std::unordered_map<int, dnnl::memory> forward_arguments_, weights_arguments_, inputs_arguments_;
};

}  // namespace paceline
