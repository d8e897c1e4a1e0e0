// SPDX-License-Identifier: MIT
// The kernels of attention by hand: 3 items, 2 heads of 4 features, 5 positions.
#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "models/network.hpp"
#include "sim/costs/layer_kernels.hpp"

namespace paceline {
namespace {

constexpr double kScores = 3 * 2 * 5 * 5, kVectors = 3 * 5 * 8;

LayerKernels attention_of(bool fused) {
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
  step.kernels.fused_attention = fused;
  return layer_kernels(network, 0, step);
}

double flops(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double sum, const Kernel& one) {
    return sum + one.product.flops().value();
  });
}

double bytes(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const Kernel& one) { return sum + one.bytes.value(); });
}

std::ptrdiff_t launched(const std::vector<Kernel>& kernels) {
  return std::count_if(kernels.begin(), kernels.end(), std::mem_fn(&Kernel::launched));
}

TEST(AttentionKernelsTest, UnfusedReadAndWriteTheScores) {
  const LayerKernels kernels = attention_of(false);
  EXPECT_EQ(flops(kernels.forward), 2 * 2 * 3 * 5 * 5 * 8);
  EXPECT_EQ(flops(kernels.input_gradient), 2 * flops(kernels.forward));
  EXPECT_EQ(bytes(kernels.forward), 2 * (4 * kVectors + 8 * kScores));
  EXPECT_EQ(bytes(kernels.input_gradient), 2 * (8 * kVectors + 10 * kScores));
  EXPECT_EQ(launched(kernels.forward), 5);
  EXPECT_EQ(launched(kernels.input_gradient), 6);
  EXPECT_TRUE(kernels.weight_gradient.empty());
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
