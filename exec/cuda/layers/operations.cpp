// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/operations.hpp"

#include <algorithm>
#include <iterator>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

using Make = std::unique_ptr<Operation> (*)(Toolbox& tools, const Wiring& wiring);

/// Of an operation that needs no library.
template <std::unique_ptr<Operation> (*make)(const Wiring& wiring)>
std::unique_ptr<Operation> alone(Toolbox&, const Wiring& wiring) {
  return make(wiring);
}

/// Every kind of layer that GPUs compute, but for the losses.
struct Row {
  LayerKind kind;
  Make make;
};
constexpr Row kOperations[] = {
    {LayerKind::convolution, make_convolution},
    {LayerKind::fully_connected, make_fully_connected},
    {LayerKind::lstm, make_lstm},
    {LayerKind::batch_norm, alone<make_batch_norm>},
    {LayerKind::activation, alone<make_activation>},
    {LayerKind::max_pool, alone<make_pooling>},
    {LayerKind::average_pool, alone<make_pooling>},
    {LayerKind::local_response_norm, alone<make_response_norm>},
    {LayerKind::add, alone<make_add>},
    {LayerKind::concat, alone<make_concat>},
    {LayerKind::pad, alone<make_pad>},
    {LayerKind::dropout, alone<make_dropout>},
    {LayerKind::embedding, alone<make_embedding>},
};

const Row* row_of(LayerKind kind) {
  const auto* row = std::ranges::find(kOperations, kind, &Row::kind);
  return row == std::end(kOperations) ? nullptr : row;
}

}  // namespace

bool has_operation(const Layer& layer) {
  if (layer.tied > 0) return false;
  switch (layer.kind) {
    case LayerKind::softmax:
      return layer.in.height == 1 && layer.in.width == 1;  // one class an item
    case LayerKind::squared_error:
      return layer.in.elements() == 1;
    default:
      return row_of(layer.kind) != nullptr;
  }
}

std::unique_ptr<Operation> make_operation(Toolbox& tools, const Wiring& wiring) {
  const Row* row = has_operation(*wiring.layer) ? row_of(wiring.layer->kind) : nullptr;
  if (row == nullptr) {
    throw Error("layer '" + wiring.layer->name + "' has no CUDA operation", false);
  }
  return row->make(tools, wiring);
}

}  // namespace paceline::cuda
