// SPDX-License-Identifier: MIT
/// \file
/// Factories for the operation of each kind of layer. A new kind needs one function here and one
/// row in the table of operations.cpp.
#pragma once
#include "exec/cuda/kernels/loss_scale.hpp"
#include "exec/cuda/layers/operation.hpp"

namespace paceline::cuda {

/// Whether GPUs compute the layer, losses included.
bool has_operation(const Layer& layer);

/// The operation of a layer (or fused group) that has one and is no loss. Throws Error with the
/// layer's name if it has none, or if a library refuses it.
std::unique_ptr<Operation> make_operation(Toolbox& tools, const Wiring& wiring);

/// With a fused bias and ReLU if the wiring has them.
std::unique_ptr<Operation> make_convolution(Toolbox& tools, const Wiring& wiring);
/// With a fused bias and ReLU if the wiring has them.
std::unique_ptr<Operation> make_fully_connected(Toolbox& tools, const Wiring& wiring);
std::unique_ptr<Operation> make_lstm(Toolbox& tools, const Wiring& wiring);
/// Uses the statistics of the mini-batch, with epsilon 1e-5. With a fused add and ReLU if the
/// wiring has them; the second input is added before the ReLU. If the layer has a stride, the
/// output has only every stride-th row and column. A max pool may follow
/// the ReLU without an add, or the mean of the image the ReLU with an add.
std::unique_ptr<Operation> make_batch_norm(const Wiring& wiring);
/// ReLU; the output may share its memory with the input.
std::unique_ptr<Operation> make_activation(const Wiring& wiring);
/// Maximum, or mean over the part of the window inside the input.
std::unique_ptr<Operation> make_pooling(const Wiring& wiring);
std::unique_ptr<Operation> make_response_norm(const Wiring& wiring);
std::unique_ptr<Operation> make_add(const Wiring& wiring);
std::unique_ptr<Operation> make_concat(const Wiring& wiring);
std::unique_ptr<Operation> make_pad(const Wiring& wiring);
/// Keeps each element with probability 1 - rate and divides it by that. The draws are keyed by
/// (repeat, worker, step, layer, element), so that backward and every clock reproduce them.
std::unique_ptr<Operation> make_dropout(const Wiring& wiring);
std::unique_ptr<Operation> make_embedding(const Wiring& wiring);

/// The host must read a loss before this many further steps have run.
inline constexpr int kLossSlots = 8;

/// The loss at the end of a network. Not an Operation: it also reads targets and has no output.
class LossOperation {
 public:
  virtual ~LossOperation() = default;
  /// Writes the mean loss of the batch to losses[step mod kLossSlots], in memory that the host can
  /// read; reads one target per item.
  virtual void forward(const float* targets, float* losses, cudaStream_t stream) = 0;
  /// Writes the gradient of the mean loss with respect to the input, times the scale if that is not
  /// null.
  virtual void backward(const float* targets, const LossScale* scale, cudaStream_t stream) = 0;
};
std::unique_ptr<LossOperation> make_loss(const Wiring& wiring);

}  // namespace paceline::cuda
