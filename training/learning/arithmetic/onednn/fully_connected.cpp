// SPDX-License-Identifier: MIT
// oneDNN's inner product takes vectors of two dimensions rather than of four, two of which are 1.
#include "training/learning/arithmetic/onednn/operations.hpp"
#include "training/learning/arithmetic/onednn/weighted.hpp"

namespace paceline {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

bool is_vector(Shape shape) {
  return shape.height == 1 && shape.width == 1;
}

dnnl::memory::desc vectors(int batch, std::int64_t elements) {
  return {{batch, elements}, kFloat, Tag::nc};
}

/// The same array viewed as `desc`.
dnnl::memory view_as(const dnnl::memory::desc& desc, const dnnl::memory& memory) {
  if (!memory) return {};
  return {desc, memory.get_engine(), memory.get_data_handle()};
}

}  // namespace

std::unique_ptr<LayerOperation> make_fully_connected(Workbench& bench, const Wiring& wiring) {
  const Layer& layer = wiring.layer;
  const bool flat_input = is_vector(layer.in);
  const dnnl::memory::desc x =
      flat_input ? vectors(wiring.batch, layer.in.channels) : tensor_of(wiring.batch, layer.in);
  const dnnl::memory::desc y = vectors(wiring.batch, layer.out.channels);
  dnnl::memory::dims shape{layer.out.channels, layer.in.channels};
  if (!flat_input) shape.insert(shape.end(), {layer.in.height, layer.in.width});
  const dnnl::memory::desc w(shape, kFloat, Tag::any);
  dnnl::memory::desc b;  // stays empty without a bias
  if (layer.bias) b = dnnl::memory::desc({layer.out.channels}, kFloat, Tag::x);

  Products products;
  products.flat = dnnl::memory::desc(shape, kFloat, flat_input ? Tag::oi : Tag::oihw);
  const dnnl::inner_product_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, x, w, b, y}, bench.attributes(), bench.engine());
  products.forward = {dnnl::inner_product_forward(forward), forward.weights_desc(),
                      forward.scratchpad_desc()};
  const dnnl::inner_product_backward_weights::primitive_desc weights(
      {x, w, b, y}, bench.attributes(), bench.engine(), forward);
  products.backward_weights = {dnnl::inner_product_backward_weights(weights),
                               weights.diff_weights_desc(), weights.scratchpad_desc()};
  const InputTensors& input = wiring.inputs.front();
  if (input.gradient) {
    const dnnl::inner_product_backward_data::primitive_desc inputs({x, w, y}, bench.attributes(),
                                                                   bench.engine(), forward);
    products.backward_inputs = {dnnl::inner_product_backward_data(inputs), inputs.weights_desc(),
                                inputs.scratchpad_desc()};
  }
  const Wiring seen{layer,
                    wiring.batch,
                    {{view_as(x, input.value), view_as(x, input.gradient),
                      view_as(x, input.landing), input.adds}},
                    view_as(y, wiring.value),
                    view_as(y, wiring.gradient)};
  return std::make_unique<Weighted>(bench, seen, products);
}

}  // namespace paceline
