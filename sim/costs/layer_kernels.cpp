// SPDX-License-Identifier: MIT
// A convolution is a product of rows = batch x output positions, columns = output channels and
// depth = input channels x kernel area; its input's gradient has the input's positions and channels
// as rows and columns; its weights' gradient sums over the batch's positions. A fully connected
// layer has one position. An LSTM multiplies the inputs of all steps at once, and then the outputs
// step by step.
//
// Fused kernels: a bias is added and a ReLU applied by the kernel that has the numbers at hand;
// batch norm, the add of a residual unit and the ReLU are one kernel, which reads the shortcut and,
// on the way back, the output for the ReLU's sign and writes the shortcut's gradient.
#include "sim/costs/layer_kernels.hpp"

#include <algorithm>

#include "sim/costs/layer_traffic.hpp"
#include "sim/costs/lstm_work.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// Kernels smaller than this, or with fewer channels, are not transformed.
constexpr int kLeastTransformedKernel = 3;
constexpr int kLeastTransformedChannels = 16;

/// Whether libraries compute the convolution by a transform: Winograd's for 3 x 3 kernels,
/// Fourier's for larger ones; both for stride 1 and on fp32 arithmetic only.
bool transformed(const Layer& layer, const StepOnGpu& step) {
  return layer.kind == LayerKind::convolution && step.precision == Precision::fp32 &&
         layer.kernel_height == layer.kernel_width &&
         layer.kernel_height >= kLeastTransformedKernel && layer.stride == 1 &&
         layer.in.channels >= kLeastTransformedChannels;
}

bool reads_only_data(const Layer& layer) {
  return std::ranges::all_of(layer.inputs, [](int input) { return input < 0; });
}

/// Whether the layer is a product of two matrices as it stands: the same one at each position of a
/// sequence.
bool is_dense(const Layer& layer) {
  return layer.kind == LayerKind::convolution && layer.in.width == 1 &&
         layer.kernel_height * layer.kernel_width == 1;
}

/// Whether what the library's kernel reads is transposed, and what it writes transposed back: by a
/// stack for a library without kernels for NHWC, or by a library that has convolutions for tensor
/// cores, which all precisions but fp32 use, in NHWC alone.
bool transposes(const Layer& layer, const StepOnGpu& step) {
  const bool convolution = layer.kind == LayerKind::convolution && !is_dense(layer);
  if (step.precision != Precision::fp32) return convolution && step.layout == Layout::nchw;
  return step.kernels.transposes && step.layout == Layout::nhwc &&
         (convolution || layer.kind == LayerKind::batch_norm);
}

struct Elements {
  double in, out, weights;
};

Elements elements_of(const Layer& layer, int batch) {
  const double items = batch;
  return {items * static_cast<double>(layer.in.elements()),
          items * static_cast<double>(layer.out.elements()), static_cast<double>(layer.weights())};
}

/// Convolution and fully connected.
LayerKernels products_of(const Layer& layer, const StepOnGpu& step) {
  const Bytes element = element_size(step.precision);
  const Elements count = elements_of(layer, step.batch);
  const double outputs = layer.out.channels;
  const double positions = count.out / outputs;
  const double depth = static_cast<double>(layer.macs) * step.batch / count.out;
  const double inputs = layer.kind == LayerKind::convolution
                            ? static_cast<double>(layer.in.channels)
                            : static_cast<double>(layer.in.elements());
  const double in_positions = count.in / inputs;
  Kernel kernel;
  kernel.bytes = element * (count.in + count.out + count.weights);
  kernel.fast = transformed(layer, step);
  kernel.dense = is_dense(layer);
  LayerKernels kernels;
  kernel.product = {positions, outputs, depth};
  kernels.forward.push_back(kernel);
  if (!reads_only_data(layer)) {
    kernel.product = {in_positions, inputs, positions * outputs * depth / (in_positions * inputs)};
    kernels.input_gradient.push_back(kernel);
  }
  kernel.product = {depth, outputs, positions};
  kernels.weight_gradient.push_back(kernel);
  if (layer.bias && !step.kernels.fused) {
    kernels.forward.push_back({{}, element * (2 * count.out)});
    kernels.weight_gradient.push_back({{}, element * count.out});
  }
  return kernels;
}

LayerKernels lstm_kernels(const Layer& layer, const StepOnGpu& step) {
  const LstmWork work = lstm_work(layer, step.batch, element_size(step.precision));
  const double items = step.batch, steps = layer.in.height;
  const double features = layer.in.channels, units = layer.out.channels;
  LayerKernels kernels;
  kernels.forward.push_back({{items * steps, 4 * units, features}, work.forward_inputs.bytes});
  Kernel chain{{items, 4 * units, units}, work.forward_steps.bytes / steps};
  chain.repeats = steps;
  kernels.forward.push_back(chain);
  chain.product = {items, units, 4 * units};
  chain.bytes = work.backward_steps.bytes / steps;
  kernels.input_gradient.push_back(chain);
  const Bytes third = work.backward_products.bytes / 3;
  if (!reads_only_data(layer)) {
    kernels.input_gradient.push_back({{items * steps, features, 4 * units}, third});
  }
  kernels.weight_gradient.push_back({{features, 4 * units, items * steps}, third});
  kernels.weight_gradient.push_back({{units, 4 * units, items * steps}, third});
  return kernels;
}

/// Whether the stack computes the layer on fp32 numbers, whatever the products' precision:
/// functions with sums, powers or exponentials, and an add of what they wrote.
bool stays_fp32(const Network& network, const Layer& layer) {
  const auto is_norm = [](LayerKind kind) { return kind == LayerKind::layer_norm; };
  if (layer.kind == LayerKind::add) {
    return std::ranges::any_of(layer.inputs, [&](int input) {
      return input >= 0 && is_norm(network.layers[static_cast<std::size_t>(input)].kind);
    });
  }
  return is_norm(layer.kind) || layer.kind == LayerKind::gelu || layer.kind == LayerKind::softmax;
}

Bytes element_of(const Network& network, const Layer& layer, const StepOnGpu& step) {
  const bool widened = step.kernels.fp32_functions && stays_fp32(network, layer);
  return element_size(widened ? Precision::fp32 : step.precision);
}

/// Of attention: a product for every item and head with the queries' features as its depth, one
/// with all positions as its depth, and what is between them. Bytes are of vectors, as long as the
/// output, and of scores.
class AttentionKernels {
 public:
  AttentionKernels(const Layer& layer, const StepOnGpu& step)
      : element_(element_size(step.precision)),
        score_(step.kernels.fp32_functions ? element_size(Precision::fp32) : element_),
        products_(static_cast<double>(step.batch) * layer.heads),
        positions_(layer.in.height),
        features_(static_cast<double>(layer.out.channels) / layer.heads),
        vectors_(static_cast<double>(step.batch) * static_cast<double>(layer.out.elements())),
        scores_(static_cast<double>(step.batch) * static_cast<double>(layer.attention_shares())) {}

  /// Scores are kept on the chip and computed again on the way back. Source: Dao et al. 2022
  /// (2205.14135), algorithms 0 and 1.
  LayerKernels fused() const {
    LayerKernels kernels;
    kernels.forward = {scores(4, 0), inside(vectors(0, 0))};
    kernels.input_gradient = {scores(8, 0), inside(scores(0, 0)), inside(vectors(0, 0)),
                              inside(vectors(0, 0)), inside(vectors(0, 0))};
    return kernels;
  }
  /// Queries, keys and values are put in the order of heads, and the result back in that of
  /// positions. Scores are scaled and masked, normalised and thinned out by kernels of their own.
  LayerKernels unfused() const {
    LayerKernels kernels;
    kernels.forward = {copies(3), scores(2, 1), {{}, element_ * (2 * scores_)},
                       pass(2),   pass(2),      vectors(2, 1),
                       copies(1)};
    kernels.input_gradient = {copies(1), scores(2, 1),  vectors(2, 1), pass(3),
                              pass(3),   vectors(2, 1), vectors(2, 1), copies(3)};
    return kernels;
  }

 private:
  Kernel product(double columns, double depth, double vectors, double scores) const {
    Kernel kernel{{products_ * positions_, columns, depth},
                  element_ * (vectors * vectors_ + scores * scores_)};
    kernel.dense = true;
    return kernel;
  }
  Kernel scores(double vectors, double scores) const {
    return product(positions_, features_, vectors, scores);
  }
  Kernel vectors(double vectors, double scores) const {
    return product(features_, positions_, vectors, scores);
  }
  /// Of the softmax and of the dropout behind it.
  Kernel pass(double scores) const { return {{}, score_ * (scores * scores_)}; }
  Kernel copies(double vectors) const {
    Kernel kernel{{}, element_ * (2 * vectors_)};
    kernel.repeats = vectors;
    return kernel;
  }
  static Kernel inside(Kernel kernel) {
    kernel.launched = false;
    return kernel;
  }

  Bytes element_, score_;
  double products_, positions_, features_, vectors_, scores_;
};

/// Whether a library that fuses makes the layer a part of the kernel before it.
bool is_fused(const Network& network, const Layer& layer) {
  if (layer.inputs.front() < 0) return false;
  const LayerKind before = network.layers[static_cast<std::size_t>(layer.inputs.front())].kind;
  if (layer.kind == LayerKind::add) return before == LayerKind::batch_norm;
  return layer.kind == LayerKind::activation &&
         (before == LayerKind::batch_norm || before == LayerKind::add ||
          before == LayerKind::convolution || before == LayerKind::fully_connected);
}

LayerKernels kernels_as_computed(const Network& network, const Layer& layer,
                                 const StepOnGpu& step) {
  if (layer.kind == LayerKind::synthetic) return {};
  if (layer.kind == LayerKind::lstm) return lstm_kernels(layer, step);
  if (layer.kind == LayerKind::attention) {
    const AttentionKernels attention(layer, step);
    return step.kernels.fused_attention ? attention.fused() : attention.unfused();
  }
  if (layer.macs > 0) return products_of(layer, step);
  const Bytes element = element_of(network, layer, step);
  LayerKernels kernels;
  if (step.kernels.fused && is_fused(network, layer)) {
    Kernel part;
    part.bytes = element * elements_of(layer, step.batch).out;
    part.launched = false;
    if (layer.kind == LayerKind::add) kernels.forward.push_back(part);
    kernels.input_gradient.push_back(part);
    return kernels;
  }
  const LayerTraffic traffic = layer_traffic(layer, step.batch, element);
  kernels.forward.push_back({{}, traffic.forward});
  kernels.input_gradient.push_back({{}, traffic.backward});
  return kernels;
}

/// A kernel for each tensor that the library's kernels read or write, weights aside: a
/// convolution's input and output in each of its three products, and of a batch norm two on the way
/// forward and three on the way back. They follow within one operation, without the stack's time
/// between two.
void add_transposes(const Layer& layer, const StepOnGpu& step, LayerKernels& kernels) {
  const Bytes element = element_size(step.precision);
  const Elements count = elements_of(layer, step.batch);
  Kernel input{{}, element * (2 * count.in)};
  Kernel output{{}, element * (2 * count.out)};
  input.launched = output.launched = false;
  const auto both = {input, output};
  kernels.forward.insert(kernels.forward.end(), both);
  if (!kernels.input_gradient.empty()) {
    kernels.input_gradient.insert(kernels.input_gradient.end(), both);
  }
  if (layer.kind == LayerKind::batch_norm) {
    kernels.input_gradient.push_back(input);
  } else {
    kernels.weight_gradient.insert(kernels.weight_gradient.end(), both);
  }
}

/// Rounds the weights before they are used, and widens their gradients.
void add_casts(const Layer& layer, const StepOnGpu& step, LayerKernels& kernels) {
  if (!step.kernels.casts || !in_16_bits(step.precision) || layer.weights() == 0) return;
  const Bytes both = element_size(step.precision) + element_size(Precision::fp32);
  const Kernel cast{{}, static_cast<double>(layer.weights()) * both};
  kernels.forward.insert(kernels.forward.begin(), cast);
  kernels.weight_gradient.push_back(cast);
}

}  // namespace

double launches(const std::vector<Kernel>& kernels) {
  double count = 0;
  for (const Kernel& kernel : kernels) {
    if (kernel.launched) count += kernel.repeats;
  }
  return count;
}

LayerKernels layer_kernels(const Network& network, std::size_t index, const StepOnGpu& step) {
  const Layer& layer = network.layers[index];
  LayerKernels kernels = kernels_as_computed(network, layer, step);
  if (layer.macs > 0) add_casts(layer, step, kernels);
  if (transposes(layer, step)) add_transposes(layer, step, kernels);
  return kernels;
}

}  // namespace paceline
