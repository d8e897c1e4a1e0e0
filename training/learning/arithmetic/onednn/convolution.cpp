// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/onednn/operations.hpp"
#include "training/learning/arithmetic/onednn/weighted.hpp"

namespace paceline {

std::unique_ptr<LayerOperation> make_convolution(Workbench& bench, const Wiring& wiring) {
  using Tag = dnnl::memory::format_tag;
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const Layer& layer = wiring.layer;
  const dnnl::memory::desc x = tensor_of(wiring.batch, layer.in);
  const dnnl::memory::desc y = tensor_of(wiring.batch, layer.out);
  const dnnl::memory::dims shape{layer.out.channels, layer.in.channels, layer.kernel_height,
                                 layer.kernel_width};
  const dnnl::memory::desc w(shape, kFloat, Tag::any);
  dnnl::memory::desc b;  // stays empty without a bias
  if (layer.bias) b = dnnl::memory::desc({layer.out.channels}, kFloat, Tag::x);
  const dnnl::memory::dims stride{layer.stride, layer.stride};
  const dnnl::memory::dims before{layer.pad_top, layer.pad_left};
  const dnnl::memory::dims after{layer.pad_bottom, layer.pad_right};

  Products products;
  products.flat = dnnl::memory::desc(shape, kFloat, Tag::oihw);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, x, w, b, y, stride, before, after},
      bench.attributes(), bench.engine());
  products.forward = {dnnl::convolution_forward(forward), forward.weights_desc(),
                      forward.scratchpad_desc()};
  const dnnl::convolution_backward_weights::primitive_desc weights(
      {kDirect, x, w, b, y, stride, before, after}, bench.attributes(), bench.engine(), forward);
  products.backward_weights = {dnnl::convolution_backward_weights(weights),
                               weights.diff_weights_desc(), weights.scratchpad_desc()};
  if (wiring.inputs.front().gradient) {
    const dnnl::convolution_backward_data::primitive_desc inputs(
        {kDirect, x, w, y, stride, before, after}, bench.attributes(), bench.engine(), forward);
    products.backward_inputs = {dnnl::convolution_backward_data(inputs), inputs.weights_desc(),
                                inputs.scratchpad_desc()};
  }
  return std::make_unique<Weighted>(bench, wiring, products);
}

}  // namespace paceline
