// SPDX-License-Identifier: MIT
/// \file
/// Builds small networks in a test, layer by layer. Each function returns the layer's index.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "models/network.hpp"

namespace paceline {

class GraphSketch {
 public:
  explicit GraphSketch(Shape input) {
    network_.name = "graph";
    network_.input = input;
  }
  static constexpr int kInput = -1;

  struct Window {
    int height = 3, width = 3, stride = 1;
    int top = 0, bottom = 0, left = 0, right = 0;
  };

  int convolution(int from, int channels, Window window, bool bias = true) {
    Layer& layer = push(LayerKind::convolution, {from});
    apply(layer, window, channels);
    layer.bias = bias;
    const std::int64_t weights =
        std::int64_t{channels} * layer.in.channels * window.height * window.width;
    layer.parameters = weights + (bias ? channels : 0);
    layer.macs = weights * layer.out.height * layer.out.width;
    return last();
  }
  int pool(LayerKind kind, int from, Window window) {
    Layer& layer = push(kind, {from});
    apply(layer, window, layer.in.channels);
    return last();
  }
  int fully_connected(int from, int units, bool bias = true) {
    Layer& layer = push(LayerKind::fully_connected, {from});
    layer.out = {units, 1, 1};
    layer.bias = bias;
    layer.macs = layer.in.elements() * units;
    layer.parameters = layer.macs + (bias ? units : 0);
    return last();
  }
  int batch_norm(int from, bool scale = true) {
    Layer& layer = push(LayerKind::batch_norm, {from});
    layer.scale = scale;
    layer.parameters = layer.in.channels * (scale ? 2 : 1);
    return last();
  }
  /// Adds an activation, a dropout of rate 0 or a loss.
  int simple(LayerKind kind, int from) {
    push(kind, {from});
    return last();
  }
  int embedding(int from, int vocabulary, int features) {
    Layer& layer = push(LayerKind::embedding, {from});
    layer.out.channels = features;
    layer.vocabulary = vocabulary;
    layer.parameters = std::int64_t{vocabulary} * features;
    return last();
  }
  int lstm(int from, int units) {
    Layer& layer = push(LayerKind::lstm, {from});
    layer.out.channels = units;
    layer.bias = true;
    const std::int64_t weights = std::int64_t{4} * units * (layer.in.channels + units);
    layer.parameters = weights + 4 * units;
    layer.macs = layer.in.height * weights;
    return last();
  }
  int position(int from) {
    Layer& layer = push(LayerKind::position, {from});
    layer.parameters = layer.in.elements();
    return last();
  }
  int layer_norm(int from) {
    Layer& layer = push(LayerKind::layer_norm, {from});
    layer.parameters = 2 * layer.in.channels;
    return last();
  }
  int attention(int from, int heads, bool causal) {
    Layer& layer = push(LayerKind::attention, {from});
    layer.out.channels = layer.in.channels / 3;
    layer.heads = heads;
    layer.causal = causal;
    return last();
  }
  int select(int from, int count) {
    push(LayerKind::select, {from}).out.height = count;
    return last();
  }
  /// A product with the table of the first embedding.
  int tied(int from) {
    const Layer& table = network_.layers[static_cast<std::size_t>(network_.first_embedding())];
    const int tokens = table.vocabulary;
    const std::int64_t weights = table.parameters;
    Layer& layer = push(LayerKind::convolution, {from});
    layer.out.channels = tokens;
    layer.tied = weights;
    return last();
  }
  int dropout(int from, double rate) {
    push(LayerKind::dropout, {from}).dropout_rate = rate;
    return last();
  }
  int response_norm(int from, int size, double alpha, double beta) {
    Layer& layer = push(LayerKind::local_response_norm, {from});
    layer.norm_size = size;
    layer.norm_alpha = alpha;
    layer.norm_beta = beta;
    return last();
  }
  int add(std::vector<int> from) {
    push(LayerKind::add, std::move(from));
    return last();
  }
  int concat(std::vector<int> from) {
    int channels = 0;
    for (const int input : from) channels += shape(input).channels;
    push(LayerKind::concat, std::move(from)).out.channels = channels;
    return last();
  }
  int pad(int from, int channels) {
    push(LayerKind::pad, {from}).out.channels = channels;
    return last();
  }
  /// Adds a fully connected layer and softmax.
  Network classify(int from, int classes) {
    simple(LayerKind::softmax, fully_connected(from, classes));
    network_.classes = classes;
    return network_;
  }
  /// Adds a tied layer and softmax.
  Network classify_tied(int from) {
    network_.classes = shape(simple(LayerKind::softmax, tied(from))).channels;
    return network_;
  }
  /// Adds a fully connected layer with one output, and its squared error.
  Network predict(int from) {
    simple(LayerKind::squared_error, fully_connected(from, 1));
    network_.classes = 1;
    return network_;
  }

 private:
  int last() const { return static_cast<int>(network_.layers.size()) - 1; }
  Shape shape(int tensor) const {
    return tensor < 0 ? network_.input : network_.layers[static_cast<std::size_t>(tensor)].out;
  }
  Layer& push(LayerKind kind, std::vector<int> inputs) {
    Layer layer;
    layer.name = "layer" + std::to_string(network_.layers.size());
    layer.kind = kind;
    layer.in = layer.out = shape(inputs.front());
    layer.inputs = std::move(inputs);
    network_.layers.push_back(std::move(layer));
    return network_.layers.back();
  }
  static void apply(Layer& layer, Window w, int channels) {
    layer.kernel_height = w.height;
    layer.kernel_width = w.width;
    layer.stride = w.stride;
    layer.pad_top = w.top;
    layer.pad_bottom = w.bottom;
    layer.pad_left = w.left;
    layer.pad_right = w.right;
    layer.out = {channels, (layer.in.height + w.top + w.bottom - w.height) / w.stride + 1,
                 (layer.in.width + w.left + w.right - w.width) / w.stride + 1};
  }

  Network network_;
};

}  // namespace paceline
