// SPDX-License-Identifier: MIT
/// \file
/// Real forward and backward passes of one worker on the CPU, which let an execution without a GPU
/// train for real. They are computed layer by layer, so that an executor can stop between layers
/// and send the gradients of late layers while those of earlier layers are still being computed.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "training/workload/random/dropout_mask.hpp"

namespace paceline {

/// One worker's passes, one mini-batch at a time. Not thread-safe, but an object may move from
/// thread to thread between calls. Uses the calling thread alone, and allocates nothing of
/// significant size after construction. `weights` and `gradient` are whole models in the flat
/// layout of Network::parameter_offsets.
///
/// The passes of a mini-batch are load(), forward() of every layer in order, then backward() of
/// every layer from the last to the first; the next load() may abandon them at any point.
/// backward() uses values that forward() kept, so both must be given the same weights.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  /// Sets the draw of the dropout layers for all mini-batches loaded from now on; its `layer` is
  /// ignored. Without a draw, as after construction, dropout layers keep all elements, as
  /// evaluation requires.
  virtual void draw_dropout(const std::optional<DropoutDraw>& draw) = 0;
  /// Sets how many positions of each item, from the first, are its own, for the next load(): no
  /// mean over positions and no attention sees the others, which are padding. Requires an object
  /// made for unequal lengths.
  virtual void set_lengths(std::span<const int> /*lengths*/) {}
  /// Sets the mini-batch: inputs [batch x elements], each item in the order channels, height,
  /// width; one target per item, the index of its class or the value to predict. Throws
  /// std::invalid_argument on wrong sizes or a label that is not a class.
  virtual void load(std::span<const float> inputs, std::span<const float> targets) = 0;
  /// Computes one layer (an index into Network::layers).
  virtual void forward(int layer, std::span<const float> weights) = 0;
  /// Writes the layer's slice of the gradient of the mean loss over the batch, and nothing outside
  /// it.
  virtual void backward(int layer, std::span<const float> weights, std::span<float> gradient) = 0;
  /// Mean loss of the loaded batch, once forward has run; NaN or infinite if training
  /// diverged.
  virtual double loss() const = 0;
  /// Share of the items of the loaded batch for which the most probable class is the label, once
  /// forward has run; NaN where the network has no classes.
  virtual double accuracy() const = 0;
};

/// The arithmetic of `network` for mini-batches of `batch` items, which are sequences of unequal
/// length if `uneven`. Throws std::runtime_error that names the layer it cannot compute.
std::unique_ptr<Arithmetic> make_arithmetic(const Network& network, int batch, bool uneven = false);

/// "" if the CPU can train the network in reasonable time, else the reason why not.
std::string untrainable(const Network& network, int batch);

/// Initial weights, the same for the same seed: He initialisation for weights that multiply, 0 for
/// biases and shifts, 1 for the scales of batch norm; embeddings and LSTMs as in PyTorch.
std::vector<float> initial_weights(const Network& network, std::uint64_t seed);

}  // namespace paceline
