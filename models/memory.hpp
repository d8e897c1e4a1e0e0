// SPDX-License-Identifier: MIT
/// \file
/// How much of a GPU's memory a worker needs at its peak, in the middle of a step: whether a batch
/// fits is known before anything runs.
///
/// With N parameters, B items a batch and e bytes an element:
///
///     weights      4 N, and e N more when e < 4: half-precision copies beside fp32 masters
///     gradients    4 N: as they travel
///     exchange     4 N a copy: a ring's landing buffer is one, of Downpour two more sums of
///                  gradients and the weights that arrive are three, else none
///     optimizer    4 N a copy: momentum and Adagrad keep one, Adam two, plain SGD none
///     activations  B x (e x elements kept for backward + dropout masks)
///     workspace    2 e B x the largest input + output of a layer
///
/// **Kept for backward**, each tensor once: the inputs of convolutions, fully connected layers,
/// batch norms, max pools, local response norms, embeddings and LSTMs; the outputs of ReLU, max
/// pools, local response norms, softmax and LSTMs; an LSTM's four gates and cell of each step. ReLU
/// is in place, so what it reads is not kept for it. A dropout mask is one byte an element.
/// **Workspace** is the gradients of the layer at hand and, assumed as large again, what the
/// convolution library asks for. Not counted: the driver's context (some hundred MB) and the
/// allocator's fragmentation.
#pragma once
#include "experiments/units.hpp"
#include "models/network.hpp"

namespace paceline {

struct MemoryAssumptions {
  Bytes element{4};          ///< of an activation, by precision
  int optimizer_copies = 1;  ///< floats that the optimizer remembers for each weight
  int exchange_copies = 0;   ///< floats a weight that the exchange of gradients needs besides
};

/// The peak, by what it is for.
struct MemoryNeed {
  Bytes weights, gradients, exchange, optimizer, activations, workspace;
  Bytes total() const {
    return weights + gradients + exchange + optimizer + activations + workspace;
  }
};

/// The need of one worker that trains `network` on `batch` items a step. Requires batch > 0.
MemoryNeed memory_needed(const Network& network, int batch, const MemoryAssumptions& assumptions);

}  // namespace paceline
