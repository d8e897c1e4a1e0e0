// SPDX-License-Identifier: MIT
/// \file
/// Real forward and backward passes of one worker on the CPU: what makes an execution without a GPU
/// train for real. Layer by layer, so that an executor can stop between layers and send the
/// gradients of late layers while earlier ones are still being computed.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "training/random/dropout_mask.hpp"

namespace paceline {

/// The passes of one mini-batch at a time. One object a worker; not thread-safe, but it may move
/// from thread to thread between calls. Uses one thread, the caller's, and allocates nothing of
/// size after it is made. `weights` and `gradient` are whole models, laid out flat as
/// Network::parameter_offsets says.
///
/// A mini-batch is load(), forward() of every layer in order, then backward() of every layer from
/// the last to the first; it may be given up at any point by the next load(). backward() relies on
/// what forward() kept, so both must see the same weights.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  /// What the dropout layers of the mini-batches loaded from now on keep; its `layer` is not looked
  /// at. Nothing, as at first: they keep everything, as evaluations want it.
  virtual void draw_dropout(const std::optional<DropoutDraw>& draw) = 0;
  /// Sets the mini-batch: inputs [batch x elements] row-major in channels, height, width; a target
  /// an item, the index of its class or the value to predict. Throws std::invalid_argument on wrong
  /// sizes or a label that is no class.
  virtual void load(std::span<const float> inputs, std::span<const float> targets) = 0;
  /// Computes one layer (an index into Network::layers).
  virtual void forward(int layer, std::span<const float> weights) = 0;
  /// Writes the layer's slice of the gradient of the mean loss over the batch, nothing beside it.
  virtual void backward(int layer, std::span<const float> weights, std::span<float> gradient) = 0;
  /// Mean loss of the loaded batch, once forward has run; NaN or infinite if training
  /// diverged.
  virtual double loss() const = 0;
  /// Share of the loaded batch whose most probable class is its label, once forward has run; NaN
  /// where the network tells no classes apart.
  virtual double accuracy() const = 0;
};

/// The arithmetic of `network` for mini-batches of `batch` items. Throws std::runtime_error that
/// names the layer it cannot compute.
std::unique_ptr<Arithmetic> make_arithmetic(const Network& network, int batch);

/// "" if the CPU trains the network in reasonable time, else the reason.
std::string untrainable(const Network& network, int batch);

/// Weights to start from, the same for the same seed: He initialisation of what multiplies, biases
/// and shifts 0, scales of batch norm 1; embeddings and LSTMs as PyTorch's.
std::vector<float> initial_weights(const Network& network, std::uint64_t seed);

}  // namespace paceline
