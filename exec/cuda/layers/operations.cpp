// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/operations.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

std::unique_ptr<Operation> make_operation(Toolbox& tools, const Wiring& wiring) {
  switch (wiring.layer->kind) {
    case LayerKind::convolution:
      return make_convolution(tools, wiring);
    case LayerKind::fully_connected:
      return make_fully_connected(tools, wiring);
    case LayerKind::lstm:
      return make_lstm(tools, wiring);
    case LayerKind::batch_norm:
      return make_batch_norm(wiring);
    case LayerKind::activation:
      return make_activation(wiring);
    case LayerKind::max_pool:
    case LayerKind::average_pool:
      return make_pooling(wiring);
    case LayerKind::local_response_norm:
      return make_response_norm(wiring);
    case LayerKind::add:
      return make_add(wiring);
    case LayerKind::concat:
      return make_concat(wiring);
    case LayerKind::pad:
      return make_pad(wiring);
    case LayerKind::dropout:
      return make_dropout(wiring);
    case LayerKind::embedding:
      return make_embedding(wiring);
    case LayerKind::position:
    case LayerKind::layer_norm:
    case LayerKind::gelu:
    case LayerKind::attention:
    case LayerKind::select:
    case LayerKind::softmax:
    case LayerKind::squared_error:
    case LayerKind::synthetic:
      break;
  }
  throw Error("layer '" + wiring.layer->name + "' has no CUDA operation", false);
}

}  // namespace paceline::cuda
