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
#include <optional>

#include "sim/costs/attention_kernels.hpp"
#include "sim/costs/composed_kernels.hpp"
#include "sim/costs/layer_traffic.hpp"
#include "sim/costs/lstm_work.hpp"
#include "sim/costs/row_alignment.hpp"
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
  if (kernel.dense || layer.kind == LayerKind::fully_connected) {
    kernel.alignment = row_alignment({inputs, outputs}, element, step.kernels.pads_rows);
  }
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
    const Bytes loaded = step.kernels.loaded(element);
    kernels.forward.push_back({{}, loaded * (2 * count.out)});
    kernels.weight_gradient.push_back({{}, loaded * count.out});
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

/// The function that a layer computes, if stacks differ in it.
std::optional<TensorFunction> function_of(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::layer_norm:
      return TensorFunction::layer_norm;
    case LayerKind::gelu:
      return TensorFunction::gelu;
    case LayerKind::softmax:
      return TensorFunction::loss;
    default:
      return std::nullopt;
  }
}

/// Whether the layer's output is in fp32, whatever the products' precision: functions that stay so,
/// and an add of what they wrote. Where the stack casts, so do embeddings and sums with fp32
/// numbers.
bool stays_fp32(const Network& network, int index, const KernelCost& kernels) {
  if (index < 0) return false;
  const Layer& layer = network.layers[static_cast<std::size_t>(index)];
  if (const auto function = function_of(layer)) return kernels.in_fp32(*function);
  const bool follows = kernels.casts == Casts::all;
  const auto is_wide = [&](int input) { return stays_fp32(network, input, kernels); };
  const auto is_norm = [&](int input) {
    return input >= 0 && kernels.in_fp32(TensorFunction::layer_norm) &&
           network.layers[static_cast<std::size_t>(input)].kind == LayerKind::layer_norm;
  };
  switch (layer.kind) {
    case LayerKind::embedding:
    case LayerKind::position:
      return follows;
    case LayerKind::dropout:
    case LayerKind::select:
      return follows && is_wide(layer.inputs.front());
    case LayerKind::add:
      return follows ? std::ranges::any_of(layer.inputs, is_wide)
                     : std::ranges::any_of(layer.inputs, is_norm);
    default:
      return false;
  }
}

Bytes element_of(const Network& network, int index, const StepOnGpu& step) {
  return element_size(stays_fp32(network, index, step.kernels) ? Precision::fp32 : step.precision);
}

/// Whether cuDNN computes the layer, and not a kernel of the stack.
bool is_of_library(LayerKind kind) {
  switch (kind) {
    case LayerKind::batch_norm:
    case LayerKind::activation:
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::local_response_norm:
      return true;
    default:
      return false;
  }
}

/// Of a layer that moves data, or of the function that the stack composes in its place.
void add_passes(const Network& network, int index, const StepOnGpu& step, LayerKernels& kernels) {
  const Layer& layer = network.layers[static_cast<std::size_t>(index)];
  Bytes element = element_of(network, index, step);
  if (!is_of_library(layer.kind)) element = step.kernels.loaded(element);
  const auto function = function_of(layer);
  const ComposedFunction* composed = function ? step.kernels.composition_of(*function) : nullptr;
  if (composed != nullptr) {
    const Bytes pass = element * elements_of(layer, step.batch).out;
    kernels.forward.push_back(composed_kernel(composed->forward, pass));
    kernels.input_gradient.push_back(composed_kernel(composed->backward, pass));
    return;
  }
  const LayerTraffic traffic = layer_traffic(layer, step.batch, element);
  kernels.forward.push_back({{}, traffic.forward});
  kernels.input_gradient.push_back({{}, traffic.backward});
}

/// The queries, keys and values of an attention behind the layer.
constexpr int kProjections = 3;

/// Products of the same size in place of one, if the layer computes an attention's queries, keys
/// and values and the stack does so apart.
int products_in(const Network& network, int index, const KernelCost& kernels) {
  const auto reads = [&](const Layer& layer) {
    return layer.kind == LayerKind::attention && layer.inputs.front() == index;
  };
  const bool apart = kernels.separate_projections && std::ranges::any_of(network.layers, reads);
  return apart ? kProjections : 1;
}

LayerKernels projections_of(const Network& network, int index, const StepOnGpu& step) {
  Layer layer = network.layers[static_cast<std::size_t>(index)];
  const int products = products_in(network, index, step.kernels);
  layer.out.channels /= products;
  layer.macs /= products;
  layer.parameters /= products;
  LayerKernels kernels = products_of(layer, step);
  for (auto* pass : {&kernels.forward, &kernels.input_gradient, &kernels.weight_gradient}) {
    for (Kernel& kernel : *pass) kernel.repeats *= products;
  }
  if (products > 1) {  // the sum of the input's gradients
    const Bytes element = element_of(network, layer.inputs.front(), step);
    Kernel sum{{}, element * (3 * elements_of(layer, step.batch).in)};
    sum.repeats = products - 1;
    kernels.input_gradient.push_back(sum);
  }
  return kernels;
}

/// Whether a library that fuses makes the layer a part of the kernel before it.
bool is_fused(const Network& network, const Layer& layer) {
  if (layer.inputs.front() < 0) return false;
  const LayerKind before = network.layers[static_cast<std::size_t>(layer.inputs.front())].kind;
  if (layer.kind == LayerKind::add) return before == LayerKind::batch_norm;
  return layer.kind == LayerKind::activation &&
         (before == LayerKind::batch_norm || before == LayerKind::add ||
          before == LayerKind::convolution || before == LayerKind::fully_connected);
}

LayerKernels kernels_as_computed(const Network& network, int index, const StepOnGpu& step) {
  const Layer& layer = network.layers[static_cast<std::size_t>(index)];
  if (layer.kind == LayerKind::synthetic) return {};
  if (layer.kind == LayerKind::lstm) return lstm_kernels(layer, step);
  if (layer.kind == LayerKind::attention) return attention_kernels(layer, step);
  if (layer.macs > 0) return projections_of(network, index, step);
  LayerKernels kernels;
  if (step.kernels.fused && is_fused(network, layer)) {
    Kernel part;
    part.bytes = element_of(network, index, step) * elements_of(layer, step.batch).out;
    part.launched = false;
    if (layer.kind == LayerKind::add) kernels.forward.push_back(part);
    kernels.input_gradient.push_back(part);
    return kernels;
  }
  add_passes(network, index, step, kernels);
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

/// Rounds the weights before they are used, and widens their gradients; and an input in fp32 and
/// its gradient, for each product that reads it.
void add_casts(const Network& network, int index, const StepOnGpu& step, LayerKernels& kernels) {
  const Layer& layer = network.layers[static_cast<std::size_t>(index)];
  if (step.kernels.casts == Casts::none || !in_16_bits(step.precision) || layer.weights() == 0) {
    return;
  }
  const Bytes both = element_size(step.precision) + element_size(Precision::fp32);
  Kernel cast{{}, static_cast<double>(layer.weights()) * both};
  const int products = products_in(network, index, step.kernels);
  if (step.kernels.casts == Casts::all) {  // of each tensor
    cast.repeats = products * std::max(layer.tensors, 1);
    cast.bytes = cast.bytes / cast.repeats;
  }
  kernels.forward.insert(kernels.forward.begin(), cast);
  kernels.weight_gradient.push_back(cast);
  const bool widened = stays_fp32(network, layer.inputs.front(), step.kernels);
  if (step.kernels.casts != Casts::all || !widened) return;
  cast.bytes = both * elements_of(layer, step.batch).in;
  cast.repeats = products;
  kernels.forward.push_back(cast);
  if (!kernels.input_gradient.empty()) kernels.input_gradient.push_back(cast);
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
  LayerKernels kernels = kernels_as_computed(network, static_cast<int>(index), step);
  if (layer.macs > 0) add_casts(network, static_cast<int>(index), step, kernels);
  if (transposes(layer, step)) add_transposes(layer, step, kernels);
  return kernels;
}

}  // namespace paceline
