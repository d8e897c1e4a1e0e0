/// \file
/// A network as a list of layers in forward order: what a simulator must know of its cost and what
/// an executor must know to compute it. Counts are per item (image, word, sample) unless said.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/units.hpp"
#include "experiments/value.hpp"

namespace paceline {

/// What a layer does. The names are those that YAML and profiles use.
enum class LayerKind {
  convolution,
  fully_connected,
  batch_norm,
  activation,  ///< ReLU
  max_pool,
  average_pool,
  add,
  concat,
  dropout,
  softmax,    ///< softmax and cross-entropy loss, the last layer of a network that trains
  synthetic,  ///< a given time and gradient size, no arithmetic
};
std::span<const EnumName<LayerKind>> enum_names(const LayerKind*);

/// Channels x height x width of one item's tensor; a vector has height = width = 1.
struct Shape {
  int channels = 1;
  int height = 1;
  int width = 1;
  std::int64_t elements() const {
    return static_cast<std::int64_t>(channels) * height * width;
  }
  friend bool operator==(Shape, Shape) = default;
};

/// One layer. `inputs` are indices of earlier layers; -1 is the network's input.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::activation;
  std::vector<int> inputs{-1};
  Shape in;   ///< of the first input
  Shape out;
  int kernel_height = 1, kernel_width = 1;  ///< convolution and pooling
  int stride = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  bool bias = false;             ///< convolution, fully connected
  bool scale = true;             ///< batch norm: has a trainable scale (gamma) beside its shift
  std::int64_t parameters = 0;   ///< trainable scalars; in memory: weights (out x in x h x w), then bias
  int tensors = 0;               ///< trainable tensors
  std::int64_t macs = 0;         ///< multiply-accumulates forward
  Seconds synthetic_forward;     ///< of a synthetic layer, for a whole mini-batch
  Seconds synthetic_backward;

  Flops forward_flops() const;   ///< 2 x MACs, or the elements touched where there are none
  Flops backward_flops() const;  ///< gradients of input and weights: twice forward where there are MACs
};

/// A network. Parameters are laid out flat in forward order of the layers, as fp32.
struct Network {
  std::string name;
  std::string item = "images";  ///< what throughput counts
  std::string source;           ///< where the architecture is from
  Shape input;
  int classes = 0;
  std::vector<Layer> layers;

  std::int64_t parameters() const;
  int tensors() const;
  std::int64_t macs() const;
  /// Offset of a layer's first parameter in the flat layout.
  std::vector<std::int64_t> parameter_offsets() const;
};

}  // namespace paceline
