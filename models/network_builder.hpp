// SPDX-License-Identifier: MIT
/// \file
/// Builds a network's list of layers from the input on. The builder tracks the current shape, so a
/// block only says "convolution, 64 channels"; shapes, padding and counts follow. An impossible
/// layer is an error at the error location and stops the building.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "experiments/language/diagnostics.hpp"
#include "models/network.hpp"
#include "models/window.hpp"

namespace paceline {

/// The normalisation after a convolution.
enum class BatchNorm {
  none,
  shift,  ///< normalised, then shifted (beta)
  scale,  ///< normalised, then scaled and shifted (gamma, beta)
};
std::span<const EnumName<BatchNorm>> enum_names(const BatchNorm*);

class NetworkBuilder {
 public:
  /// Starts from a network with an input and classes but without layers. `batch_norm` is the
  /// default for convolutions that do not specify it.
  NetworkBuilder(Network network, BatchNorm batch_norm, Diagnostics& diagnostics);

  /// Locates later errors at `at`. Only the first error of a network is noted.
  void locate_errors(const Location& at) { error_location_ = at; }
  const Location& error_location() const { return error_location_; }
  void fail(const std::string& message);
  bool failed() const { return failed_; }

  BatchNorm batch_norm_default() const { return batch_norm_; }
  int classes() const { return network_.classes; }
  std::size_t layer_count() const { return network_.layers.size(); }

  /// The open layers: the inputs of the next layer; -1 is the network's input. Within branches
  /// there may be more than one.
  const std::vector<int>& open() const { return open_; }
  /// Sets the open layers.
  void go_on_from(std::vector<int> layers) { open_ = std::move(layers); }
  /// The shape of the next layer's input. Fails unless exactly one layer is open.
  Shape shape();

  void convolution(int channels, const Window& window, bool bias);
  /// A convolution with optional batch norm and ReLU; it has a bias if `norm` is none.
  void convolution_unit(int channels, const Window& window, BatchNorm norm, bool relu);
  void batch_norm(bool scale);
  void relu();
  void max_pool(const Window& window) { pool(LayerKind::max_pool, window); }
  void average_pool(const Window& window) { pool(LayerKind::average_pool, window); }
  void global_average_pool();
  void fully_connected(int units, bool bias);
  void dropout(double rate);
  void local_response_norm(int size, double alpha, double beta);
  /// Adds zero channels before and after, up to `channels` in total.
  void pad_channels(int channels);
  /// Maps each token id to a vector of `features`.
  void embedding(int vocabulary, int features);
  /// One LSTM layer; its output holds all steps. See Layer::parameters for the layout of its
  /// weights. `looped`: the host starts each step's operations.
  void lstm(int units, bool looped = false);
  /// Adds a trainable vector to each position of a sequence.
  void position();
  void layer_norm();
  void gelu();
  /// The same product at each position of a sequence.
  void linear(int units, bool bias);
  /// From three times as many channels as it makes: queries, keys, values, each head by head.
  void attention(int heads, bool causal);
  /// The first `count` positions.
  void select(int count);
  /// A product with the first embedding's table: one output a token, at each position.
  void tied_linear();
  void softmax();
  void squared_error();
  /// Adds the output of layer `other` to that of the open layer.
  void add(int other);
  /// Concatenates the channels of the open layers in order.
  void concat();

  /// The network built so far.
  Network take() { return std::move(network_); }

 private:
  void pool(LayerKind kind, const Window& window);
  /// A new layer with the open layer as its input, named `prefix` and a number. Its output shape is
  /// initially the input shape.
  Layer next(LayerKind kind, const char* prefix);
  bool lay_window(Layer& layer, const Window& window, int channels);
  void append(Layer layer);
  const Shape& output_of(int layer) const;

  Network network_;
  BatchNorm batch_norm_;
  Diagnostics& diagnostics_;
  Location error_location_;
  bool failed_ = false;
  std::vector<int> open_{-1};
  int weighted_ = 0;                ///< convolutions and fully connected layers so far
  std::array<int, 21> numbered_{};  ///< layers so far, by kind
};

}  // namespace paceline
