// SPDX-License-Identifier: MIT
/// \file
/// Builds a network's list of layers, one after another from the input on: it knows where the
/// network has got to, so a block says "convolution, 64 channels" and shapes, padding and counts
/// follow. A layer that cannot be is noted as an error at the place blamed; building then stops.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "experiments/diagnostics.hpp"
#include "models/network.hpp"
#include "models/window.hpp"

namespace paceline {

/// What follows a convolution.
enum class BatchNorm {
  none,
  shift,  ///< normalised, then shifted (beta)
  scale,  ///< normalised, then scaled and shifted (gamma, beta)
};
std::span<const EnumName<BatchNorm>> enum_names(const BatchNorm*);

class NetworkBuilder {
 public:
  /// Starts from a network that has an input and classes but no layers. `batch_norm` is what
  /// follows a convolution that does not say.
  NetworkBuilder(Network network, BatchNorm batch_norm, Diagnostics& diagnostics);

  /// Errors from now on stand at `at`.
  void blame(const Location& at) { blamed_ = at; }
  const Location& blamed() const { return blamed_; }
  void fail(const std::string& message);
  bool failed() const { return failed_; }

  BatchNorm batch_norm_default() const { return batch_norm_; }
  int classes() const { return network_.classes; }
  std::size_t layer_count() const { return network_.layers.size(); }

  /// The layers that are open: whose outputs the next layer reads. More than one only within
  /// branches; -1 is the network's input.
  const std::vector<int>& open() const { return open_; }
  /// Goes on from these layers.
  void go_on_from(std::vector<int> layers) { open_ = std::move(layers); }
  /// What the next layer reads. Requires that one layer is open, else fails.
  Shape shape();

  void convolution(int channels, const Window& window, bool bias);
  /// A convolution with what usually follows it; `bias` when nothing normalises it.
  void convolution_unit(int channels, const Window& window, BatchNorm norm, bool relu);
  void batch_norm(bool scale);
  void relu();
  void max_pool(const Window& window) { pool(LayerKind::max_pool, window); }
  void average_pool(const Window& window) { pool(LayerKind::average_pool, window); }
  void global_average_pool();
  void fully_connected(int units, bool bias);
  void dropout(double rate);
  void local_response_norm(int size, double alpha, double beta);
  /// Zeros around the channels until there are `channels`.
  void pad_channels(int channels);
  /// Token ids, one a position, to vectors of `features`.
  void embedding(int vocabulary, int features);
  /// The outputs of all steps of one LSTM layer. See Layer::parameters for its weights.
  void lstm(int units);
  void softmax();
  void squared_error();
  /// Adds the one open layer to `other`.
  void add(int other);
  /// Joins the open layers' channels in their order.
  void concat();

  /// The network built so far.
  Network take() { return std::move(network_); }

 private:
  void pool(LayerKind kind, const Window& window);
  /// A layer of the open one, named `prefix` and a number. Output as the input until changed.
  Layer next(LayerKind kind, const char* prefix);
  bool lay_window(Layer& layer, const Window& window, int channels);
  void append(Layer layer);
  const Shape& output_of(int layer) const;

  Network network_;
  BatchNorm batch_norm_;
  Diagnostics& diagnostics_;
  Location blamed_;
  bool failed_ = false;
  std::vector<int> open_{-1};
  int weighted_ = 0;                ///< convolutions and fully connected layers so far
  std::array<int, 16> numbered_{};  ///< layers so far, by kind
};

}  // namespace paceline
