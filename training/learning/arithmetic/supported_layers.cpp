// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/supported_layers.hpp"

#include <algorithm>

#include "training/learning/losses/loss.hpp"

namespace paceline {
namespace {

bool same_plane(Shape a, Shape b) {
  return a.height == b.height && a.width == b.width;
}

std::string wrong_with_sequence(const Layer& layer) {
  if (layer.in.width != 1 || !same_plane(layer.in, layer.out)) {
    return "a sequence has width 1 and keeps its length";
  }
  if (layer.kind != LayerKind::embedding) return "";
  if (layer.inputs.front() >= 0 || layer.in.channels != 1) {
    return "an embedding reads the network's input, one token id a position";
  }
  return layer.vocabulary < 1 ? "an embedding has a vocabulary" : "";
}

/// "" or the reason why a layer cannot be computed, given the shapes of its inputs.
std::string wrong_with(const Layer& layer, const std::vector<Shape>& in) {
  if (layer.kind == LayerKind::synthetic) return "a synthetic layer has no arithmetic";
  const bool joins = layer.kind == LayerKind::add || layer.kind == LayerKind::concat;
  if (in.empty() || (!joins && in.size() > 1)) return "it reads the wrong number of layers";
  if (in.front() != layer.in) return "its input has another shape than the layer before";
  if (layer.kind == LayerKind::add &&
      std::any_of(in.begin(), in.end(), [&](Shape shape) { return shape != layer.out; })) {
    return "it adds tensors of different shapes";
  }
  if (layer.kind == LayerKind::concat || layer.kind == LayerKind::pad) {
    int channels = 0;
    for (const Shape shape : in) {
      if (!same_plane(shape, layer.out)) return "it joins tensors of different height or width";
      channels += shape.channels;
    }
    const bool fits = layer.kind == LayerKind::concat ? channels == layer.out.channels
                                                      : channels <= layer.out.channels;
    if (!fits) return "its channels do not add up";
  }
  if (layer.kind == LayerKind::embedding || layer.kind == LayerKind::lstm ||
      layer.kind == LayerKind::position || layer.kind == LayerKind::attention) {
    return wrong_with_sequence(layer);
  }
  if (layer.kind == LayerKind::softmax && (layer.in.height != 1 || layer.in.width != 1)) {
    return "softmax is taken over a vector";
  }
  if (layer.kind == LayerKind::squared_error && layer.in.elements() != 1) {
    return "a squared error is that of one output";
  }
  return "";
}

}  // namespace

std::string unsupported(const Network& network) {
  const int count = static_cast<int>(network.layers.size());
  if (count == 0) return "it has no layers";
  std::vector<bool> read(network.layers.size(), false);
  for (int i = 0; i < count; ++i) {
    const Layer& layer = network.layers[static_cast<std::size_t>(i)];
    std::vector<Shape> shapes;
    for (const int input : layer.inputs) {
      if (input < -1 || input >= i) return "layer '" + layer.name + "': it reads a later layer";
      if (input >= 0) read[static_cast<std::size_t>(input)] = true;
      shapes.push_back(input < 0 ? network.input
                                 : network.layers[static_cast<std::size_t>(input)].out);
    }
    std::string wrong = wrong_with(layer, shapes);
    if (wrong.empty() && is_loss(layer.kind) != (i + 1 == count)) {
      wrong = is_loss(layer.kind) ? "a loss comes last"
                                  : "the last layer must be a loss, softmax or squared_error";
    }
    if (!wrong.empty()) return "layer '" + layer.name + "': " + wrong;
  }
  for (int i = 0; i + 1 < count; ++i) {
    if (read[static_cast<std::size_t>(i)]) continue;
    return "layer '" + network.layers[static_cast<std::size_t>(i)].name + "': nothing reads it";
  }
  return "";
}

}  // namespace paceline
