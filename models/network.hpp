// SPDX-License-Identifier: MIT
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

template <class T>
class Description;

/// What a layer does. The names are those that YAML and profiles use.
enum class LayerKind {
  convolution,
  fully_connected,
  batch_norm,
  activation,  ///< ReLU
  max_pool,
  average_pool,  ///< the mean of what lies inside the input: padding is not counted
  add,
  concat,
  dropout,
  softmax,              ///< softmax and cross-entropy loss, the last layer of a classifier
  synthetic,            ///< a given time and gradient size, no arithmetic
  local_response_norm,  ///< across channels, as AlexNet has it
  pad,            ///< channels of zeros, half before and half after: the shortcut without weights
  squared_error,  ///< half the squared error, the last layer of a network that predicts a value
  embedding,      ///< a vector of features for each token id, looked up in a table
  lstm,           ///< one layer of long short-term memory over a sequence, in one direction
};
std::span<const EnumName<LayerKind>> enum_names(const LayerKind*);

/// Channels x height x width of one item's tensor; a vector has height = width = 1. A sequence of T
/// vectors of C features has C channels, height T and width 1.
struct Shape {
  int channels = 1;
  int height = 1;
  int width = 1;
  static void describe(Description<Shape>& d);
  std::int64_t elements() const { return static_cast<std::int64_t>(channels) * height * width; }
  friend bool operator==(Shape, Shape) = default;
};

/// One layer. `inputs` are indices of earlier layers; -1 is the network's input.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::activation;
  std::vector<int> inputs{-1};
  Shape in;  ///< of the first input
  Shape out;
  int kernel_height = 1, kernel_width = 1;  ///< convolution and pooling
  int stride = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  bool bias = false;   ///< convolution, fully connected
  bool scale = true;   ///< batch norm: has a trainable scale (gamma) beside its shift
  int vocabulary = 0;  ///< embedding: token ids are whole numbers from 0 and below this
  /// Trainable scalars; in memory: weights (out x in x h x w), then bias; batch norm: scale, shift;
  /// embedding: [vocabulary][out]; lstm: of the input [4 out][in], recurrent [4 out][out], one bias
  /// [4 out], each with its rows by gate: input, forget, cell candidate, output. Channels all.
  std::int64_t parameters = 0;
  int tensors = 0;                       ///< trainable tensors
  std::int64_t macs = 0;                 ///< multiply-accumulates forward
  double dropout_rate = 0;               ///< share of a dropout layer's elements that become zero
  int norm_size = 0;                     ///< local response norm: channels in a window, and
  double norm_alpha = 0, norm_beta = 0;  ///< y = x / (1 + alpha / size * sum of x^2)^beta
  Seconds synthetic_forward;             ///< of a synthetic layer, for a whole mini-batch
  Seconds synthetic_backward;

  /// 2 x MACs, or the elements read and written where there are none.
  Flops forward_flops() const;
  /// Gradients of input and weights: twice forward where there are MACs, else as forward.
  Flops backward_flops() const;
};

/// A network. Parameters are laid out flat in forward order of the layers, as fp32.
struct Network {
  std::string name;
  std::string item = "images";  ///< what throughput counts
  std::string source;           ///< where the architecture is from
  Shape input;
  int classes = 0;  ///< 1: predicts a value; 0: neither it nor classes, so no real arithmetic
  std::vector<Layer> layers;

  std::int64_t parameters() const;
  int tensors() const;
  std::int64_t macs() const;
  /// What the input's token ids are below; 0: the input is no token ids but plain numbers.
  int vocabulary() const;
  /// Offset of a layer's first parameter in the flat layout.
  std::vector<std::int64_t> parameter_offsets() const;
};

}  // namespace paceline
