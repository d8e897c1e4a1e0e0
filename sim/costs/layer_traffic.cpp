// SPDX-License-Identifier: MIT
// forward  = batch x e x (a x inputs + b x output) + v e x weights
// backward = batch x e x (c x inputs + d x output) + w e x weights   (read them, write gradients)
// with e bytes per element; a to d, v and w are numbers of passes by kind of layer (v is 1 and w is
// 2 unless given). The passes follow from the layer's formula and the libraries' usual split into
// kernels: batch norm reads its input for the statistics and again to normalise; the backward of a
// convolution is two kernels, one for the input's gradient and one for the weights'. The traffic of
// an LSTM is that of its parts, see lstm_work.hpp.
#include "sim/costs/layer_traffic.hpp"

#include <array>

#include "sim/costs/lstm_work.hpp"

namespace paceline {
namespace {

struct Passes {
  LayerKind kind;
  double forward_inputs, forward_output, backward_inputs, backward_output;
  double forward_weights = 1, backward_weights = 2;
};

constexpr std::array<Passes, 19> kPasses{{
    {LayerKind::convolution, 1, 1, 2, 2},      // backward: dy twice, x, writes dx
    {LayerKind::fully_connected, 1, 1, 2, 2},  // as for a convolution
    {LayerKind::batch_norm, 2, 1, 3, 2},       // backward: x and dy twice each, writes dx
    {LayerKind::activation, 1, 1, 1, 2},       // backward: y, dy, writes dx
    {LayerKind::max_pool, 1, 1, 2, 2},         // backward: x, y, dy, writes dx
    {LayerKind::average_pool, 1, 1, 1, 1},
    {LayerKind::add, 1, 1, 0, 3},     // backward: the two gradients of the shortcut's source summed
    {LayerKind::concat, 0, 2, 0, 2},  // a copy of the output's size, both ways
    {LayerKind::dropout, 1, 2, 1, 2},  // including its mask
    {LayerKind::softmax, 1, 1, 1, 1},
    {LayerKind::synthetic, 0, 0, 0, 0, 0, 0},
    {LayerKind::local_response_norm, 1, 1, 2, 2},
    {LayerKind::pad, 1, 1, 1, 1},
    {LayerKind::squared_error, 1, 1, 1, 1},
    // forward: rows read and written; backward: the table's gradient zeroed, rows added to it
    {LayerKind::embedding, 1, 2, 1, 3, 0, 1},
    {LayerKind::position, 1, 1, 0, 1, 1, 1},    // backward: dy summed over the items
    {LayerKind::layer_norm, 1, 1, 3, 2, 1, 1},  // backward: x and dy twice each, writes dx
    {LayerKind::gelu, 1, 1, 2, 1},              // backward: x, dy, writes dx
    {LayerKind::select, 0, 2, 1, 1},            // backward: the rest becomes zero
}};

const Passes& passes_of(LayerKind kind) {
  for (const Passes& passes : kPasses) {
    if (passes.kind == kind) return passes;
  }
  return kPasses.front();
}

}  // namespace

LayerTraffic layer_traffic(const Layer& layer, int batch, Bytes element) {
  if (layer.kind == LayerKind::lstm) {
    const LstmWork work = lstm_work(layer, batch, element);
    return {work.forward_inputs.bytes + work.forward_steps.bytes,
            work.backward_steps.bytes + work.backward_products.bytes};
  }
  if (layer.kind == LayerKind::attention) {  // as unfused, layer_kernels.cpp
    const double vectors = static_cast<double>(batch) * static_cast<double>(layer.out.elements());
    const double scores =
        static_cast<double>(batch) * static_cast<double>(layer.attention_shares());
    return {element * (12 * vectors + 8 * scores), element * (16 * vectors + 10 * scores)};
  }
  const Passes& passes = passes_of(layer.kind);
  const double inputs = static_cast<double>(batch) * static_cast<double>(layer.in.elements()) *
                        static_cast<double>(layer.inputs.size());
  const double output = static_cast<double>(batch) * static_cast<double>(layer.out.elements());
  const auto weights = static_cast<double>(layer.weights());
  return {element * (passes.forward_inputs * inputs + passes.forward_output * output +
                     passes.forward_weights * weights),
          element * (passes.backward_inputs * inputs + passes.backward_output * output +
                     passes.backward_weights * weights)};
}

}  // namespace paceline
