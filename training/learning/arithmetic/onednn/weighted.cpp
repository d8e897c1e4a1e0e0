// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/onednn/weighted.hpp"

namespace paceline {

Weighted::Weighted(Workbench& bench, const Wiring& wiring, const Products& products)
    : bench_(bench),
      input_(wiring.inputs.front()),
      biases_at_(products.flat.get_size() / sizeof(float)),
      weights_(bench, products.flat, products.forward.weights, true),
      weights_gradient_(bench, products.flat, products.backward_weights.weights, false),
      forward_(products.forward.primitive),
      backward_weights_(products.backward_weights.primitive),
      backward_inputs_(products.backward_inputs.primitive) {
  forward_arguments_ = {{DNNL_ARG_SRC, input_.value},
                        {DNNL_ARG_WEIGHTS, weights_.packed()},
                        {DNNL_ARG_DST, wiring.value},
                        {DNNL_ARG_SCRATCHPAD, bench.scratchpad(products.forward.scratchpad)}};
  weights_arguments_ = {
      {DNNL_ARG_SRC, input_.value},
      {DNNL_ARG_DIFF_DST, wiring.gradient},
      {DNNL_ARG_DIFF_WEIGHTS, weights_gradient_.packed()},
      {DNNL_ARG_SCRATCHPAD, bench.scratchpad(products.backward_weights.scratchpad)}};
  if (wiring.layer.bias) {
    const dnnl::memory::desc biases({wiring.layer.out.channels}, dnnl::memory::data_type::f32,
                                    dnnl::memory::format_tag::x);
    bias_ = dnnl::memory(biases, bench.engine(), DNNL_MEMORY_NONE);
    bias_gradient_ = dnnl::memory(biases, bench.engine(), DNNL_MEMORY_NONE);
    forward_arguments_.emplace(DNNL_ARG_BIAS, bias_);
    weights_arguments_.emplace(DNNL_ARG_DIFF_BIAS, bias_gradient_);
  }
  if (!input_.gradient) return;
  const Product& inputs = products.backward_inputs;
  back_weights_ = std::make_unique<Repacking>(bench, products.flat, inputs.weights, true);
  inputs_arguments_ = {{DNNL_ARG_DIFF_DST, wiring.gradient},
                       {DNNL_ARG_WEIGHTS, back_weights_->packed()},
                       {DNNL_ARG_DIFF_SRC, input_.landing},
                       {DNNL_ARG_SCRATCHPAD, bench.scratchpad(inputs.scratchpad)}};
}

void Weighted::forward(const float* weights) {
  weights_.point(weights);
  weights_.run(bench_);
  if (bias_) point_at(bias_, weights + biases_at_);
  bench_.run(forward_, forward_arguments_);
}

void Weighted::backward(const float* weights, float* gradient) {
  weights_gradient_.point(gradient);
  if (bias_) point_at(bias_gradient_, gradient + biases_at_);
  bench_.run(backward_weights_, weights_arguments_);
  weights_gradient_.run(bench_);
  if (!input_.gradient) return;
  back_weights_->point(weights);
  back_weights_->run(bench_);
  bench_.run(backward_inputs_, inputs_arguments_);
  input_.land();
}

}  // namespace paceline
