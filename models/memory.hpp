// SPDX-License-Identifier: MIT
/// \file
/// The peak memory of a worker on its GPU, reached between the forward and the backward pass of a
/// step. It shows whether a batch fits before anything runs.
///
/// With N parameters, B items per batch and e bytes per element:
///
///     weights      4 N (fp32), plus e N if e < 4 (half-precision copies)
///     gradients    4 N: fp32, as sent
///     exchange     4 N per copy: 1 for a ring (the receive buffer); 3 for Downpour (two further
///                  sums of gradients and the received weights); otherwise 0
///     optimizer    4 N per copy where the worker updates weights of its own: 1 for momentum and
///                  Adagrad, 2 for Adam, 0 for plain SGD
///     activations  B x (e x elements kept for backward + dropout masks)
///     workspace    2 e B x the largest input + output of a layer
///
/// **Kept for backward**, each tensor once: the inputs of convolutions, fully connected layers,
/// batch norms, max pools, local response norms, embeddings, LSTMs, layer norms, GELUs and
/// attention; the outputs of ReLU, max
/// pools, local response norms, softmax, squared error and LSTMs; an LSTM's four gates and cell at
/// each step; the scores of attention, unless it is fused. ReLU works in place, so its input is not
/// kept. A dropout mask has one byte per element. **Workspace** is the gradients of the current
/// layer plus an assumed equal amount for the convolution library. Not included: the driver's
/// context (some hundred MB) and the allocator's fragmentation.
#pragma once
#include <vector>

#include "experiments/language/units.hpp"
#include "models/network.hpp"

namespace paceline {

struct MemoryAssumptions {
  Bytes element{4};                      ///< of an activation; set by the precision
  int optimizer_copies = 1;              ///< floats of optimizer state per parameter
  std::int64_t exchange_parameters = 0;  ///< additional floats for the gradient exchange
  bool fused_attention = false;          ///< keeps no scores: they are computed again
};

/// The peak by purpose.
struct MemoryNeed {
  Bytes weights, gradients, exchange, optimizer, activations, workspace;
  Bytes total() const {
    return weights + gradients + exchange + optimizer + activations + workspace;
  }
};

/// The bytes that one item keeps for backward, by layer from its forward to its backward pass; the
/// network's input with the first layer. Their sum is that of `activations` for one item.
std::vector<Bytes> kept_by_layer(const Network& network, Bytes element,
                                 bool fused_attention = false);

/// The most bytes that one item has at a time in a forward pass alone, which frees a tensor once
/// its last reader has run: the network's input, the inputs and the output of a layer, and others
/// that later layers read.
Bytes forward_peak(const Network& network, Bytes element);

/// The memory of one worker that trains `network` on `batch` items per step. Requires batch > 0.
MemoryNeed memory_needed(const Network& network, int batch, const MemoryAssumptions& assumptions);

}  // namespace paceline
