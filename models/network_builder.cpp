// SPDX-License-Identifier: MIT
#include "models/network_builder.hpp"

#include <algorithm>
#include <utility>

#include "models/limits.hpp"

namespace paceline {
namespace {

std::string show(const Shape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

double count(std::int64_t n) {
  return static_cast<double>(n);
}

}  // namespace

std::span<const EnumName<BatchNorm>> enum_names(const BatchNorm*) {
  static constexpr std::array<EnumName<BatchNorm>, 3> kNames{{
      {"none", BatchNorm::none},
      {"shift", BatchNorm::shift},
      {"scale", BatchNorm::scale},
  }};
  return kNames;
}

NetworkBuilder::NetworkBuilder(Network network, BatchNorm batch_norm, Diagnostics& diagnostics)
    : network_(std::move(network)), batch_norm_(batch_norm), diagnostics_(diagnostics) {}

void NetworkBuilder::fail(const std::string& message) {
  if (!failed_) diagnostics_.error(error_location_, message);
  failed_ = true;
}

const Shape& NetworkBuilder::output_of(int layer) const {
  return layer < 0 ? network_.input : network_.layers[static_cast<std::size_t>(layer)].out;
}

Shape NetworkBuilder::shape() {
  if (open_.size() != 1) {
    fail("a 'fork' must be the last block of a branch (only 'inception' joins its branches)");
    return {};
  }
  return output_of(open_.front());
}

Layer NetworkBuilder::next(LayerKind kind, const char* prefix) {
  Layer layer;
  layer.kind = kind;
  layer.in = layer.out = shape();
  layer.inputs = {open_.front()};
  const bool weighted = kind == LayerKind::convolution || kind == LayerKind::fully_connected;
  int& number = weighted ? weighted_ : numbered_[static_cast<std::size_t>(kind)];
  layer.name = prefix + std::to_string(number++);
  return layer;
}

void NetworkBuilder::append(Layer layer) {
  if (failed_) return;
  if (layer_count() >= static_cast<std::size_t>(kMostLayers)) {
    return fail("more than " + std::to_string(kMostLayers) + " layers");
  }
  if (layer.out.channels > kMostChannels || count(layer.out.elements()) > kMostOfALayer) {
    return fail("the output " + show(layer.out) + " is too large");
  }
  open_ = {static_cast<int>(layer_count())};
  network_.layers.push_back(std::move(layer));
}

bool NetworkBuilder::lay_window(Layer& layer, const Window& window, int channels) {
  const Extent rows = lay(layer.in.height, window.kernel.height, window.stride, window.padding);
  const Extent columns = lay(layer.in.width, window.kernel.width, window.stride, window.padding);
  if (rows.output < 1 || columns.output < 1) {
    fail("a window of " + std::to_string(window.kernel.height) + "x" +
         std::to_string(window.kernel.width) + " does not fit its input " + show(layer.in));
    return false;
  }
  layer.kernel_height = window.kernel.height;
  layer.kernel_width = window.kernel.width;
  layer.stride = window.stride;
  layer.pad_top = rows.before;
  layer.pad_bottom = rows.after;
  layer.pad_left = columns.before;
  layer.pad_right = columns.after;
  layer.out = {channels, rows.output, columns.output};
  return true;
}

void NetworkBuilder::convolution(int channels, const Window& window, bool bias) {
  Layer layer = next(LayerKind::convolution, "conv");
  if (failed_ || !lay_window(layer, window, channels)) return;
  const double taps =
      count(layer.in.channels) * count(window.kernel.height) * count(window.kernel.width);
  if (taps * std::max(count(channels), count(layer.out.elements())) > kMostOfALayer) {
    return fail("a convolution of this size is too large");
  }
  const std::int64_t weights_per_output =
      std::int64_t{layer.in.channels} * window.kernel.height * window.kernel.width;
  layer.bias = bias;
  layer.parameters = channels * weights_per_output + (bias ? channels : 0);
  layer.tensors = bias ? 2 : 1;
  layer.macs = layer.out.elements() * weights_per_output;
  append(std::move(layer));
}

void NetworkBuilder::convolution_unit(int channels, const Window& window, BatchNorm norm,
                                      bool with_relu) {
  convolution(channels, window, norm == BatchNorm::none);
  if (norm != BatchNorm::none) batch_norm(norm == BatchNorm::scale);
  if (with_relu) relu();
}

void NetworkBuilder::batch_norm(bool scale) {
  Layer layer = next(LayerKind::batch_norm, "bn");
  layer.scale = scale;
  layer.tensors = scale ? 2 : 1;
  layer.parameters = std::int64_t{layer.in.channels} * layer.tensors;
  append(std::move(layer));
}

void NetworkBuilder::relu() {
  append(next(LayerKind::activation, "relu"));
}

void NetworkBuilder::pool(LayerKind kind, const Window& window) {
  Layer layer = next(kind, kind == LayerKind::max_pool ? "maxpool" : "avgpool");
  if (failed_ || !lay_window(layer, window, layer.in.channels)) return;
  append(std::move(layer));
}

void NetworkBuilder::global_average_pool() {
  const Shape whole = shape();
  pool(LayerKind::average_pool, {{whole.height, whole.width}, 1, Padding::valid});
}

void NetworkBuilder::fully_connected(int units, bool bias) {
  Layer layer = next(LayerKind::fully_connected, "fc");
  if (count(layer.in.elements()) * count(units) > kMostOfALayer) {
    return fail("a fully connected layer of this size is too large");
  }
  layer.out = {units, 1, 1};
  layer.bias = bias;
  layer.macs = layer.in.elements() * units;
  layer.parameters = layer.macs + (bias ? units : 0);
  layer.tensors = bias ? 2 : 1;
  append(std::move(layer));
}

void NetworkBuilder::dropout(double rate) {
  Layer layer = next(LayerKind::dropout, "dropout");
  layer.dropout_rate = rate;
  append(std::move(layer));
}

void NetworkBuilder::local_response_norm(int size, double alpha, double beta) {
  Layer layer = next(LayerKind::local_response_norm, "lrn");
  layer.norm_size = size;
  layer.norm_alpha = alpha;
  layer.norm_beta = beta;
  append(std::move(layer));
}

void NetworkBuilder::pad_channels(int channels) {
  Layer layer = next(LayerKind::pad, "pad");
  if (channels < layer.in.channels || (channels - layer.in.channels) % 2 != 0) {
    return fail(std::to_string(layer.in.channels) + " channels cannot be padded to " +
                std::to_string(channels) + " (as many zeros before as after)");
  }
  layer.out.channels = channels;
  append(std::move(layer));
}

void NetworkBuilder::embedding(int vocabulary, int features) {
  Layer layer = next(LayerKind::embedding, "embedding");
  if (layer.inputs.front() >= 0 || layer.in.channels != 1 || layer.in.width != 1) {
    return fail("an embedding reads the network's input, token ids of 1 channel and width 1");
  }
  if (count(vocabulary) * count(features) > kMostOfALayer) return fail("the table is too large");
  layer.out.channels = features;
  layer.vocabulary = vocabulary;
  layer.parameters = std::int64_t{vocabulary} * features;
  layer.tensors = 1;
  append(std::move(layer));
}

void NetworkBuilder::lstm(int units, bool looped) {
  constexpr int kGates = 4;
  // 37,644 operations of a step of eight such layers over 50 positions, 1,281 with cuDNN's:
  // lcy-seso/ dl_framework@4a35ac9bd2
  // tensorflow/data_parallelism_for_nmt/docs/fix_the_warmup_problem.md
  constexpr std::int64_t kOperationsOfAStep = 45;
  Layer layer = next(LayerKind::lstm, "lstm");
  if (layer.in.width != 1) return fail("an LSTM reads a sequence, of width 1");
  const double a_step = kGates * count(units) * (count(layer.in.channels) + count(units) + 1);
  if (a_step * count(layer.in.height) > kMostOfALayer) {
    return fail("an LSTM of this size is too large");
  }
  const std::int64_t weights = std::int64_t{kGates} * units * (layer.in.channels + units);
  layer.out.channels = units;
  layer.bias = true;
  layer.parameters = weights + std::int64_t{kGates} * units;
  layer.tensors = 3;
  layer.macs = layer.in.height * weights;
  if (looped) layer.loop_operations = kOperationsOfAStep * layer.in.height;
  append(std::move(layer));
}

void NetworkBuilder::position() {
  Layer layer = next(LayerKind::position, "position");
  if (layer.in.width != 1) return fail("positions are those of a sequence, of width 1");
  layer.parameters = layer.in.elements();
  layer.tensors = 1;
  append(std::move(layer));
}

void NetworkBuilder::layer_norm() {
  Layer layer = next(LayerKind::layer_norm, "ln");
  layer.tensors = 2;
  layer.parameters = std::int64_t{layer.in.channels} * layer.tensors;
  append(std::move(layer));
}

void NetworkBuilder::gelu() {
  append(next(LayerKind::gelu, "gelu"));
}

void NetworkBuilder::linear(int units, bool bias) {
  convolution(units, {{1, 1}, 1, Padding::valid}, bias);
}

void NetworkBuilder::attention(int heads, bool causal) {
  Layer layer = next(LayerKind::attention, "attention");
  if (layer.in.width != 1) return fail("attention reads a sequence, of width 1");
  layer.out.channels = layer.in.channels / 3;
  if (layer.in.channels % 3 != 0 || layer.out.channels % heads != 0) {
    return fail(std::to_string(layer.in.channels) +
                " channels are not queries, keys and values of " + std::to_string(heads) +
                " equal heads");
  }
  layer.heads = heads;
  layer.causal = causal;
  if (2 * count(layer.in.height) * count(layer.in.height) * count(layer.out.channels) >
      kMostOfALayer) {
    return fail("an attention of this size is too large");
  }
  layer.macs = 2 * std::int64_t{layer.in.height} * layer.in.height * layer.out.channels;
  append(std::move(layer));
}

void NetworkBuilder::select(int count) {
  Layer layer = next(LayerKind::select, "select");
  if (layer.in.width != 1 || layer.in.height < count) {
    return fail("a sequence of " + show(layer.in) + " has no " + std::to_string(count) +
                " positions of width 1");
  }
  layer.out.height = count;
  append(std::move(layer));
}

void NetworkBuilder::tied_linear() {
  const int embedding = network_.first_embedding();
  if (embedding < 0)
    return fail("a tied layer shares the table of an embedding, and none is before");
  const Layer& table = network_.layers[static_cast<std::size_t>(embedding)];
  Layer layer = next(LayerKind::convolution, "conv");
  if (layer.in.channels != table.out.channels) {
    return fail("a tied layer reads as many channels as the embedding makes, " +
                std::to_string(table.out.channels));
  }
  layer.out.channels = table.vocabulary;
  layer.tied = table.parameters;
  layer.macs = layer.out.elements() * layer.in.channels;
  append(std::move(layer));
}

void NetworkBuilder::softmax() {
  Layer layer = next(LayerKind::softmax, "softmax");
  layer.name = "softmax";
  append(std::move(layer));
}

void NetworkBuilder::squared_error() {
  Layer layer = next(LayerKind::squared_error, "squared_error");
  layer.name = "squared_error";
  append(std::move(layer));
}

void NetworkBuilder::add(int other) {
  Layer layer = next(LayerKind::add, "add");
  if (output_of(other) != layer.in) {
    return fail("cannot add " + show(output_of(other)) + " and " + show(layer.in));
  }
  layer.inputs.push_back(other);
  append(std::move(layer));
}

void NetworkBuilder::concat() {
  Layer layer;
  layer.kind = LayerKind::concat;
  layer.name = "concat" + std::to_string(numbered_[static_cast<std::size_t>(layer.kind)]++);
  layer.inputs = open_;
  layer.in = layer.out = output_of(open_.front());
  std::int64_t channels = 0;
  for (const int input : open_) {
    const Shape& part = output_of(input);
    if (part.height != layer.in.height || part.width != layer.in.width) {
      return fail("cannot join " + show(part) + " and " + show(layer.in));
    }
    channels += part.channels;
  }
  if (channels > kMostChannels) return fail("too many channels after joining");
  layer.out.channels = static_cast<int>(channels);
  append(std::move(layer));
}

}  // namespace paceline
