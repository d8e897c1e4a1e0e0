// SPDX-License-Identifier: MIT
/// \file
/// A network as a list of layers in forward order, with the costs that a simulator needs and the
/// parameters that an executor needs to compute it. Counts are per item (image, word, sample)
/// unless stated otherwise.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/units.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

template <class T>
class Description;

/// The operation of a layer. The names are those used in YAML and in profiles.
enum class LayerKind {
  convolution,
  fully_connected,
  batch_norm,
  activation,  ///< ReLU
  max_pool,
  average_pool,  ///< the mean, excluding padding
  add,
  concat,
  dropout,
  softmax,              ///< softmax and cross-entropy loss; the last layer of a classifier
  synthetic,            ///< given time and gradient size, no arithmetic
  local_response_norm,  ///< across channels, as in AlexNet
  pad,                  ///< zero channels, half before and half after: the parameter-free shortcut
  squared_error,        ///< half the squared error; the last layer of a regression network
  embedding,            ///< a vector of features for each token id, looked up in a table
  lstm,                 ///< one unidirectional long short-term memory layer
  position,             ///< a trainable vector for each position is added
  layer_norm,           ///< over the channels of a position, then scaled and shifted
  gelu,                 ///< x times the normal distribution function of x
  attention,            ///< of each position to all, from queries, keys and values side by side
  select,               ///< the first positions of a sequence
};
std::span<const EnumName<LayerKind>> enum_names(const LayerKind*);

/// The shape of one item's tensor: channels x height x width. A vector has height = width = 1. A
/// sequence of T vectors of C features has C channels, height T and width 1.
struct Shape {
  int channels = 1;
  int height = 1;
  int width = 1;
  static void describe(Description<Shape>& d);
  std::int64_t elements() const { return static_cast<std::int64_t>(channels) * height * width; }
  friend bool operator==(Shape, Shape) = default;
};

/// One layer. `inputs` are the indices of earlier layers; -1 is the network's input.
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
  int vocabulary = 0;  ///< embedding: token ids are integers in [0, vocabulary)
  /// The number of trainable scalars. Layout in memory: weights (out x in x h x w), then bias;
  /// batch norm: scale, shift; embedding: [vocabulary][out]; LSTM: input weights [4 out][in],
  /// recurrent weights [4 out][out], one bias [4 out], each with its rows in the gate order input,
  /// forget, cell candidate, output. `in` and `out` are numbers of channels.
  std::int64_t parameters = 0;
  int tensors = 0;                       ///< trainable tensors
  std::int64_t macs = 0;                 ///< multiply-accumulates of the forward pass
  double dropout_rate = 0;               ///< fraction of a dropout layer's elements set to zero
  int norm_size = 0;                     ///< local response norm: channels in a window; see
  double norm_alpha = 0, norm_beta = 0;  ///< y = x / (1 + alpha / size * sum of x^2)^beta
  int heads = 0;                         ///< attention: parts of the channels
  bool causal = false;                   ///< attention: to a position itself and those before
  /// Operations that the host starts one after another in each pass, where it waits for one step of
  /// a loop before the next; 0: it launches the layer as a whole, ahead of the GPU.
  std::int64_t loop_operations = 0;
  std::int64_t tied = 0;      ///< weights of the first embedding that it multiplies by, as it is
  Seconds synthetic_forward;  ///< of a synthetic layer, for a whole mini-batch
  Seconds synthetic_backward;

  /// Weights that it reads, its own and those that it shares.
  std::int64_t weights() const { return parameters + tied; }
  /// Of attention: the share that each position has in each other, of all heads.
  std::int64_t attention_shares() const { return std::int64_t{heads} * in.height * in.height; }
  /// 2 x MACs; for a layer without MACs, the number of elements read and written.
  Flops forward_flops() const;
  /// The gradients of the input and the weights: twice the forward operations for a layer with
  /// MACs, otherwise the same as forward.
  Flops backward_flops() const;
};

/// A network. The parameters are fp32, laid out flat in forward order of the layers.
struct Network {
  std::string name;
  std::string item = "images";  ///< the unit of throughput
  std::string source;           ///< the source of the architecture
  Shape input;
  int classes = 0;  ///< 1: regression; 0: neither classes nor a value, so no real arithmetic
  std::vector<Layer> layers;

  std::int64_t parameters() const;
  int tensors() const;
  std::int64_t macs() const;
  /// The upper bound (exclusive) of the input's token ids; 0 if the input consists of plain
  /// numbers.
  int vocabulary() const;
  /// The first embedding: tied layers share its table. -1: none.
  int first_embedding() const;
  /// The offset of each layer's first parameter in the flat layout.
  std::vector<std::int64_t> parameter_offsets() const;
};

}  // namespace paceline
