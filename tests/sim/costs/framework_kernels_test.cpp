// SPDX-License-Identifier: MIT
// Frameworks differ in the kernels of a transformer: 2 items of 8 positions and 16 features.
#include <algorithm>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "sim/costs/layer_kernels.hpp"
#include "sim/costs/row_alignment.hpp"

namespace paceline {
namespace {

constexpr double kInputs = 2 * 8 * 16;

const Network& transformer() {
  static const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 1, height: 8}, classes: 10, blocks: [{kind: embedding, vocabulary: 10, "
      "features: 16}, layer-norm, {kind: transformer, layers: 1, heads: 2}, {kind: classifier, "
      "each: position}]}"));
  return network;
}

/// The first layer of this kind, or the one that reads it.
std::size_t first_of(LayerKind kind) {
  const auto& layers = transformer().layers;
  return static_cast<std::size_t>(std::ranges::find(layers, kind, &Layer::kind) - layers.begin());
}

LayerKernels kernels_of(std::size_t layer, const KernelCost& cost) {
  return layer_kernels(transformer(), layer, {2, Precision::bf16, Layout::nhwc, cost});
}

std::size_t projection() {
  return static_cast<std::size_t>(transformer().layers[first_of(LayerKind::attention)].inputs[0]);
}

TEST(FrameworkKernels, QueriesKeysAndValuesMayBeProductsOfTheirOwn) {
  KernelCost cost;
  cost.fused = true;  // without kernels for the bias
  const LayerKernels one = kernels_of(projection(), cost);
  cost.separate_projections = true;
  const LayerKernels three = kernels_of(projection(), cost);
  EXPECT_EQ(one.forward.at(0).product.columns, 48);
  EXPECT_EQ(three.forward.at(0).product.columns, 16);
  EXPECT_EQ(three.forward.at(0).repeats, 3);
  EXPECT_EQ(three.weight_gradient.at(0).repeats, 3);
  EXPECT_EQ(one.input_gradient.size(), 1U);
  ASSERT_EQ(three.input_gradient.size(), 2U);
  EXPECT_EQ(three.input_gradient[1].repeats, 2) << "sums of three gradients";
  EXPECT_EQ(three.input_gradient[1].bytes, Bytes{2 * 3 * kInputs});
}

TEST(FrameworkKernels, WeightsAreCastForEachTensorAndInputsInFp32ForEachProduct) {
  KernelCost cost;
  cost.fused = cost.separate_projections = true;
  cost.fp32_functions = {TensorFunction::layer_norm};
  const LayerKernels none = kernels_of(projection(), cost);
  cost.casts = Casts::weights;
  const LayerKernels weights = kernels_of(projection(), cost);
  cost.casts = Casts::all;
  const LayerKernels all = kernels_of(projection(), cost);
  EXPECT_EQ(weights.forward.size(), none.forward.size() + 1);
  EXPECT_EQ(weights.forward.front().repeats, 1);
  const double parameters = 16 * 48 + 48;
  EXPECT_EQ(weights.forward.front().bytes, Bytes{6 * parameters});
  EXPECT_EQ(all.forward.front().repeats, 3 * 2) << "a matrix and a bias each";
  EXPECT_DOUBLE_EQ(all.forward.front().repeats * all.forward.front().bytes.value(), 6 * parameters);
  EXPECT_EQ(all.forward.back().repeats, 3);
  EXPECT_EQ(all.forward.back().bytes, Bytes{6 * kInputs}) << "behind a layer norm in fp32";
  EXPECT_EQ(all.input_gradient.back().bytes, Bytes{6 * kInputs});
  cost.fp32_functions = {};
  EXPECT_EQ(kernels_of(projection(), cost).forward.size(), weights.forward.size());
}

TEST(FrameworkKernels, SumsWithFp32StayInFp32WhereTheStackCasts) {
  KernelCost cost;
  cost.fp32_functions = {TensorFunction::layer_norm};
  const std::size_t add = first_of(LayerKind::add);
  const Bytes narrow = kernels_of(add, {}).forward.front().bytes;
  EXPECT_EQ(kernels_of(add, cost).forward.front().bytes, 2 * narrow) << "one reads a layer norm";
  cost.fp32_functions = {TensorFunction::gelu};
  EXPECT_EQ(kernels_of(add, cost).forward.front().bytes, narrow);
  EXPECT_EQ(kernels_of(first_of(LayerKind::gelu), cost).forward.front().bytes,
            2 * kernels_of(first_of(LayerKind::gelu), {}).forward.front().bytes);
}

TEST(FrameworkKernels, AFunctionMayBeComposed) {
  KernelCost cost;
  cost.composed = {{TensorFunction::gelu, {8, 18}, {10, 26}}};
  const std::size_t gelu = first_of(LayerKind::gelu);
  const double features = 4 * kInputs;
  const LayerKernels kernels = kernels_of(gelu, cost);
  ASSERT_EQ(kernels.forward.size(), 1U);
  EXPECT_EQ(kernels.forward[0].repeats, 8);
  EXPECT_DOUBLE_EQ(8 * kernels.forward[0].bytes.value(), 18 * 2 * features);
  EXPECT_EQ(kernels.input_gradient[0].repeats, 10);
  EXPECT_DOUBLE_EQ(10 * kernels.input_gradient[0].bytes.value(), 26 * 2 * features);
}

TEST(FrameworkKernels, KernelsThatLoadOneNumberTakeAsLongAsInFp32) {
  KernelCost single;
  single.single_loads = true;
  const auto ratio = [&](std::size_t layer, Precision precision) {
    const auto bytes = [&](const KernelCost& cost) {
      const StepOnGpu step{2, precision, Layout::nhwc, cost};
      return layer_kernels(transformer(), layer, step).forward.back().bytes.value();
    };
    return bytes(single) / bytes({});
  };
  const std::size_t gelu = first_of(LayerKind::gelu);
  EXPECT_EQ(ratio(gelu, Precision::bf16), 2);
  EXPECT_EQ(ratio(gelu, Precision::fp32), 1);
  EXPECT_EQ(ratio(first_of(LayerKind::layer_norm), Precision::bf16), 2);
  EXPECT_EQ(ratio(projection(), Precision::bf16), 2) << "its bias";
}

TEST(FrameworkKernels, ConvolutionsBatchNormsReLUsAndPoolsAreALibrarys) {
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 3, height: 8, width: 8}, classes: 10, blocks: [{kind: convolution, "
      "channels: 4, kernel: 3}, batch-norm, activation, {kind: max-pool, kernel: 2, stride: 2}, "
      "classifier]}"));
  KernelCost single;
  single.single_loads = true;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    const auto forward = [&](const KernelCost& cost) {
      const StepOnGpu step{2, Precision::fp16, Layout::nhwc, cost};
      return layer_kernels(network, layer, step).forward.front().bytes;
    };
    EXPECT_EQ(forward(single), forward({})) << layer;
  }
}

TEST(RowAlignment, IsThePowerOfTwoThatDividesAllRows) {
  EXPECT_EQ(row_alignment({768, 3072}, Bytes{2}, Bytes{}), 16);
  EXPECT_EQ(row_alignment({768, 30522}, Bytes{2}, Bytes{}), 4);
  EXPECT_EQ(row_alignment({768, 30522}, Bytes{4}, Bytes{}), 8);
  EXPECT_EQ(row_alignment({768, 50257}, Bytes{2}, Bytes{}), 2);
  EXPECT_EQ(row_alignment({768, 50257}, Bytes{2}, Bytes{4}), 16) << "padded";
  EXPECT_EQ(row_alignment({768, 30522}, Bytes{2}, Bytes{4}), 4);
  EXPECT_EQ(row_alignment({768, 30522}, Bytes{2}, Bytes{16}), 16);
}

}  // namespace
}  // namespace paceline
