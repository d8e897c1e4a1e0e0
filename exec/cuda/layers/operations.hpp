// SPDX-License-Identifier: MIT
/// \file
/// How to make the operation of each kind of layer. A new kind is one function here and one line in
/// make_operation().
#pragma once
#include "exec/cuda/layers/operation.hpp"

namespace paceline::cuda {

/// The operation of a layer (or fused group) of any kind but a loss and synthetic. Throws Error
/// naming the layer where a library refuses it.
std::unique_ptr<Operation> make_operation(Toolbox& tools, const Wiring& wiring);

/// A bias and a ReLU within, as the wiring says.
std::unique_ptr<Operation> make_convolution(Toolbox& tools, const Wiring& wiring);
/// A bias and a ReLU within, as the wiring says.
std::unique_ptr<Operation> make_fully_connected(Toolbox& tools, const Wiring& wiring);
std::unique_ptr<Operation> make_lstm(Toolbox& tools, const Wiring& wiring);
/// Statistics of the mini-batch, epsilon 1e-5; an add and a ReLU within, as the wiring says (the
/// second input, where there is one, is added before the ReLU).
std::unique_ptr<Operation> make_batch_norm(const Wiring& wiring);
/// ReLU; its output may lie where its input lies.
std::unique_ptr<Operation> make_activation(const Wiring& wiring);
/// Maximum, or mean of what lies inside the input.
std::unique_ptr<Operation> make_pooling(const Wiring& wiring);
std::unique_ptr<Operation> make_response_norm(const Wiring& wiring);
std::unique_ptr<Operation> make_add(const Wiring& wiring);
std::unique_ptr<Operation> make_concat(const Wiring& wiring);
std::unique_ptr<Operation> make_pad(const Wiring& wiring);
/// Keeps each element with probability 1 - rate, scaled by its inverse; the draws are those of
/// (repeat, worker, step, layer, element), so that backward and every clock draw them again.
std::unique_ptr<Operation> make_dropout(const Wiring& wiring);
std::unique_ptr<Operation> make_embedding(const Wiring& wiring);

/// The host reads a loss some steps after it was written at the latest.
inline constexpr int kLossSlots = 8;

/// The loss at the end, not an Operation: it has targets for an input and no output.
class LossOperation {
 public:
  virtual ~LossOperation() = default;
  /// Mean loss of the batch into losses[step mod kLossSlots], in memory that the host reads too;
  /// reads a target an item.
  virtual void forward(const float* targets, float* losses, cudaStream_t stream) = 0;
  /// The gradient of the mean loss, times `scale`, with respect to the input.
  virtual void backward(const float* targets, float scale, cudaStream_t stream) = 0;
};
std::unique_ptr<LossOperation> make_loss(const Wiring& wiring);

}  // namespace paceline::cuda
