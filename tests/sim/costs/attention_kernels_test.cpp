// SPDX-License-Identifier: MIT
// The kernels of attention by hand: 3 items, 2 heads of 4 features, 5 positions.
#include <numeric>

#include <gtest/gtest.h>

#include "models/network.hpp"
#include "sim/costs/layer_kernels.hpp"

namespace paceline {
namespace {

constexpr double kScores = 3 * 2 * 5 * 5, kVectors = 3 * 5 * 8;

LayerKernels attention_of(KernelCost cost) {
  Layer layer;
  layer.kind = LayerKind::attention;
  layer.in = {24, 5, 1};
  layer.out = {8, 5, 1};
  layer.heads = 2;
  layer.macs = 2 * 5 * 5 * 8;
  Network network;
  network.layers = {layer};
  StepOnGpu step;
  step.batch = 3;
  step.precision = Precision::fp16;
  step.kernels = std::move(cost);
  return layer_kernels(network, 0, step);
}

LayerKernels attention_of(bool fused) {
  KernelCost cost;
  cost.fused_attention = fused;
  return attention_of(cost);
}

KernelCost with_fp32_softmax() {
  KernelCost cost;
  cost.fp32_functions = {TensorFunction::softmax};
  return cost;
}

double flops(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double sum, const Kernel& one) {
    return sum + one.product.flops().value();
  });
}

double bytes(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double sum, const Kernel& one) {
    return sum + one.repeats * one.bytes.value();
  });
}

double launched(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double sum, const Kernel& one) {
    return sum + (one.launched ? one.repeats : 0);
  });
}

TEST(AttentionKernelsTest, UnfusedReadAndWriteTheScores) {
  const LayerKernels kernels = attention_of(false);
  EXPECT_EQ(flops(kernels.forward), 2 * 2 * 3 * 5 * 5 * 8);
  EXPECT_EQ(flops(kernels.input_gradient), 2 * flops(kernels.forward));
  EXPECT_EQ(bytes(kernels.forward), 2 * (12 * kVectors + 8 * kScores));
  EXPECT_EQ(bytes(kernels.input_gradient), 2 * (16 * kVectors + 10 * kScores));
  EXPECT_EQ(launched(kernels.forward), 9);
  EXPECT_EQ(launched(kernels.input_gradient), 10);
  EXPECT_TRUE(kernels.weight_gradient.empty());
}

// Of the scores, softmax and dropout pass twice each, and both ways back three times.
TEST(AttentionKernelsTest, SoftmaxAndDropoutMayStayInFp32) {
  const LayerKernels narrow = attention_of(false), wide = attention_of(with_fp32_softmax());
  EXPECT_EQ(bytes(wide.forward) - bytes(narrow.forward), 2 * 4 * kScores);
  EXPECT_EQ(bytes(wide.input_gradient) - bytes(narrow.input_gradient), 2 * 6 * kScores);
}

// Scaling and masking reads and writes the scores once; on the way back the scores' products do it.
TEST(AttentionKernelsTest, ScalingMayStayInFp32) {
  KernelCost cost;
  cost.fp32_functions = {TensorFunction::scores};
  const LayerKernels narrow = attention_of(false), wide = attention_of(cost);
  EXPECT_EQ(bytes(wide.forward) - bytes(narrow.forward), 2 * 2 * kScores);
  EXPECT_EQ(bytes(wide.input_gradient), bytes(narrow.input_gradient));
  cost.casts = Casts::all;  // of 2 and 4 bytes, before the scaling and behind it
  EXPECT_EQ(bytes(attention_of(cost).forward) - bytes(narrow.forward), (2 * 2 + 2 * 6) * kScores);
  EXPECT_EQ(launched(attention_of(cost).forward) - launched(narrow.forward), 2);
}

// to fp32 before the softmax and from it behind the dropout, and the same on the way back
TEST(AttentionKernelsTest, ScoresAreCastAroundFp32) {
  KernelCost cost = with_fp32_softmax();
  const LayerKernels without = attention_of(cost);
  cost.casts = Casts::all;
  const LayerKernels with = attention_of(cost);
  EXPECT_EQ(bytes(with.forward) - bytes(without.forward), 2 * 6 * kScores);
  EXPECT_EQ(bytes(with.input_gradient) - bytes(without.input_gradient), 2 * 6 * kScores);
  EXPECT_EQ(launched(with.forward), launched(without.forward) + 2);
}

// Products are a library's.
TEST(AttentionKernelsTest, CopiesAndPassesThatLoadOneNumberTakeAsLongAsInFp32) {
  KernelCost cost;
  cost.single_loads = true;
  const LayerKernels plain = attention_of(false), single = attention_of(cost);
  EXPECT_EQ(bytes(single.forward) - bytes(plain.forward), 2 * (8 * kVectors + 6 * kScores));
  EXPECT_EQ(bytes(single.input_gradient) - bytes(plain.input_gradient),
            2 * (8 * kVectors + 6 * kScores));
  EXPECT_EQ(flops(single.forward), flops(plain.forward));
}

TEST(AttentionKernelsTest, ScaleMaskAndSoftmaxMayBeComposed) {
  KernelCost cost;
  cost.composed = {{TensorFunction::scores, {2, 4}, {1, 2}},
                   {TensorFunction::softmax, {1, 2}, {2, 6}}};
  const LayerKernels plain = attention_of(false), composed = attention_of(cost);
  EXPECT_EQ(bytes(composed.forward) - bytes(plain.forward), 2 * 2 * kScores);
  EXPECT_EQ(launched(composed.forward), launched(plain.forward) + 1);
  EXPECT_EQ(bytes(composed.input_gradient) - bytes(plain.input_gradient), 2 * (2 + 3) * kScores);
  EXPECT_EQ(launched(composed.input_gradient), launched(plain.input_gradient) + 2);
}

TEST(AttentionKernelsTest, FusedReadAndWriteVectorsAloneAndComputeScoresAgain) {
  const LayerKernels kernels = attention_of(true);
  EXPECT_EQ(flops(kernels.forward), 2 * 2 * 3 * 5 * 5 * 8);
  EXPECT_EQ(flops(kernels.input_gradient), 2.5 * flops(kernels.forward));
  EXPECT_EQ(bytes(kernels.forward), 2 * 4 * kVectors);
  EXPECT_EQ(bytes(kernels.input_gradient), 2 * 8 * kVectors);
  EXPECT_EQ(launched(kernels.forward), 1);
  EXPECT_EQ(launched(kernels.input_gradient), 1);
}

}  // namespace
}  // namespace paceline
