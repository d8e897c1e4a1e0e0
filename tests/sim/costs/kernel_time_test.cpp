// SPDX-License-Identifier: MIT
#include "sim/costs/kernel_time.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

/// 10 multiprocessors, so 20 tiles of 128 x 64 in a wave; 1 TFLOP/s and 100 GB/s.
GpuSpec small_gpu() {
  GpuSpec gpu;
  gpu.name = "small";
  gpu.sms = 10;
  gpu.fp32 = FlopsPerSecond{1e12};
  gpu.fp16 = FlopsPerSecond{4e12};
  gpu.memory_bandwidth = BytesPerSecond{100e9};
  gpu.efficiency.fp32 = Efficiency{Percent{0.5}, 0, "test"};
  return gpu;
}

double seconds(const Kernel& kernel, const GpuSpec& gpu, Precision precision = Precision::fp32) {
  StepOnGpu step;
  step.precision = precision;
  return kernel_time(kernel, gpu, step).time.value();
}

Kernel product(double rows, double columns, double depth) {
  Kernel kernel;
  kernel.product = {rows, columns, depth};
  return kernel;
}

// 128 x 10 rows and 64 x 4 columns are 40 tiles: two waves and the last one's tail.
TEST(KernelTime, WavesOfTilesByHand) {
  const double wave = 2.0 * 128 * 64 * 500 * 20 / (0.5 * 1e12);
  EXPECT_DOUBLE_EQ(seconds(product(1280, 256, 500), small_gpu()), 2.45 * wave);
  EXPECT_DOUBLE_EQ(seconds(product(1281, 256, 500), small_gpu()), 3.45 * wave)
      << "a wave that is not full takes as long";
}

// 50 tiles are five waves of a tile for each of ten multiprocessors.
TEST(KernelTime, AWaveOfADenseProductIsATileForEachMultiprocessor) {
  Kernel dense = product(128 * 5, 64 * 10, 64);
  dense.dense = true;
  const double wave = 2.0 * 128 * 64 * 64 * 10 / (0.95 / 2 * 1e12);
  EXPECT_DOUBLE_EQ(seconds(dense, small_gpu()), (5 + 0.45) * wave);
}

// One tile: its sum is cut into 20 parts, to fill the wave, but not below a depth of 64.
TEST(KernelTime, ASumIsCutWhereTilesAreFew) {
  const auto wave = [](double depth) { return 2.0 * 128 * 64 * depth * 20 / (0.5 * 1e12); };
  EXPECT_DOUBLE_EQ(seconds(product(128, 64, 20000), small_gpu()), 1.45 * wave(1000));
  EXPECT_DOUBLE_EQ(seconds(product(128, 64, 640), small_gpu()), 1.45 * wave(64));
  EXPECT_DOUBLE_EQ(seconds(product(128, 64, 100), small_gpu()), 1.45 * wave(100));
}

TEST(KernelTime, SmallProductsHaveSmallTiles) {
  const double wave = 2.0 * 32 * 32 * 100 * 20 / (0.5 * 1e12);
  EXPECT_DOUBLE_EQ(seconds(product(4, 10, 100), small_gpu()), 1.45 * wave);
}

TEST(KernelTime, DeepSumsReachMoreOfThePeak) {
  GpuSpec gpu = small_gpu();
  const double all = seconds(product(1280, 256, 500), gpu);
  gpu.efficiency.fp32->half_depth = 500;
  EXPECT_DOUBLE_EQ(seconds(product(1280, 256, 500), gpu), 2 * all);
  gpu.efficiency.fp32->share = Percent{4};
  EXPECT_DOUBLE_EQ(seconds(product(1280, 256, 500), gpu), all * 0.5 / 0.95) << "not above 95 %";
}

TEST(KernelTime, MemoryBindsWhereItTakesLonger) {
  Kernel kernel = product(1280, 256, 500);
  kernel.bytes = Bytes{1e9};
  GpuSpec gpu = small_gpu();
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu), 0.01);
  gpu.efficiency.memory = Efficiency{Percent{0.8}, 0, "test"};
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu), 0.0125);
}

TEST(KernelTime, KernelsThatOnlyMoveDataMayBeSlowerThanACopy) {
  Kernel kernel;
  kernel.bytes = Bytes{1e9};
  GpuSpec gpu = small_gpu();
  gpu.efficiency.memory = Efficiency{Percent{0.8}, 0, "test"};
  gpu.efficiency.passes = Efficiency{Percent{0.5}, 0, "test"};
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu), 0.02);
  StepOnGpu step;
  step.kernels.tuned_passes = true;
  EXPECT_DOUBLE_EQ(kernel_time(kernel, gpu, step).time.value(), 0.0125);
  Kernel with_product = product(1280, 256, 500);
  with_product.bytes = kernel.bytes;
  EXPECT_DOUBLE_EQ(seconds(with_product, gpu), 0.0125);
}

// of 16 bytes, as tensor cores read; other cores do not mind
TEST(KernelTime, RowsThatAreNotAlignedSlowTensorCores) {
  GpuSpec gpu = small_gpu();
  gpu.efficiency.fp16 = gpu.efficiency.fp32;
  Kernel kernel = product(1280, 256, 500);
  kernel.dense = true;
  const double aligned = seconds(kernel, gpu, Precision::bf16);
  const double fp32 = seconds(kernel, gpu);
  kernel.alignment = 4;
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu, Precision::bf16), aligned / 0.34);
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu), fp32);
  kernel.alignment = 2;
  EXPECT_DOUBLE_EQ(seconds(kernel, gpu, Precision::bf16), aligned / 0.19);
}

TEST(KernelTime, TransformsLaunchesAndRepeats) {
  const double plain = seconds(product(1280, 256, 500), small_gpu());
  Kernel kernel = product(1280, 256, 500);
  kernel.fast = true;
  EXPECT_DOUBLE_EQ(seconds(kernel, small_gpu()), plain / 2.45);
  kernel.fast = false;
  kernel.repeats = 3;
  StepOnGpu step;
  step.kernels.launch = Seconds{1e-5};
  EXPECT_DOUBLE_EQ(kernel_time(kernel, small_gpu(), step).time.value(), 3 * (plain + 1e-5));
  kernel.launched = false;
  EXPECT_DOUBLE_EQ(kernel_time(kernel, small_gpu(), step).time.value(), 3 * plain);
}

TEST(KernelTime, WithoutARowAProductTakesThePeak) {
  const double flops = 2.0 * 1280 * 256 * 500;
  EXPECT_DOUBLE_EQ(seconds(product(1280, 256, 500), small_gpu(), Precision::fp16), flops / 4e12);
  StepOnGpu step;
  step.precision = Precision::fp16;
  EXPECT_FALSE(kernel_time(product(1280, 256, 500), small_gpu(), step).known);
  step.precision = Precision::fp32;
  EXPECT_TRUE(kernel_time(product(1280, 256, 500), small_gpu(), step).known);
}

/// A convolution of 3 x 3 with stride 2 behind one of 1 x 1, on 4 images.
LayerKernels kernels_of(std::size_t layer, const KernelCost& cost, Layout layout = Layout::nchw,
                        Precision precision = Precision::fp32) {
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 8, height: 32, width: 32}, classes: 2, batch_norm: scale, blocks: "
      "[{channels: 16}, {channels: 64, kernel: 3, stride: 2}, classifier]}"));
  return layer_kernels(network, layer, {4, precision, layout, cost});
}

// convolution, batch norm, ReLU, convolution, ...
TEST(LayerKernels, TheThreeProductsOfAConvolutionByHand) {
  const LayerKernels kernels = kernels_of(3, {});
  const Product& forward = kernels.forward.at(0).product;
  EXPECT_EQ(forward.rows, 4 * 16 * 16);
  EXPECT_EQ(forward.columns, 64);
  EXPECT_EQ(forward.depth, 16 * 9);
  const Product& input = kernels.input_gradient.at(0).product;
  EXPECT_EQ(input.rows, 4 * 32 * 32);
  EXPECT_EQ(input.columns, 16);
  EXPECT_EQ(input.flops(), forward.flops());
  const Product& weights = kernels.weight_gradient.at(0).product;
  EXPECT_EQ(weights.rows, 16 * 9);
  EXPECT_EQ(weights.columns, 64);
  EXPECT_EQ(weights.depth, 4 * 16 * 16);
  EXPECT_EQ(kernels.forward.at(0).bytes.value(),
            4.0 * (4 * 16 * 1024 + 4 * 64 * 256 + 64 * 16 * 9));
}

TEST(LayerKernels, TheNetworksInputNeedsNoGradient) {
  EXPECT_TRUE(kernels_of(0, {}).input_gradient.empty());
  EXPECT_EQ(kernels_of(0, {}).weight_gradient.size(), 1U);
}

TEST(LayerKernels, AFusedReluIsAPartOfTheKernelBefore) {
  const LayerKernels apart = kernels_of(2, {});
  ASSERT_EQ(apart.forward.size(), 1U);
  EXPECT_TRUE(apart.forward[0].launched);
  KernelCost cost;
  cost.fused = true;
  const LayerKernels fused = kernels_of(2, cost);
  EXPECT_TRUE(fused.forward.empty());
  ASSERT_EQ(fused.input_gradient.size(), 1U);
  EXPECT_FALSE(fused.input_gradient[0].launched);
  EXPECT_EQ(fused.input_gradient[0].bytes.value(), 4.0 * 4 * 16 * 1024);
}

/// Bytes of the kernels behind the first `from`, none of which waits for a launch.
std::vector<double> bytes_behind(const std::vector<Kernel>& kernels, std::size_t from) {
  std::vector<double> bytes;
  for (std::size_t i = from; i < kernels.size(); ++i) {
    EXPECT_FALSE(kernels[i].launched);
    bytes.push_back(kernels[i].bytes.value());
  }
  return bytes;
}

// A tensor is read and written: 2 x 4 bytes x 4 items.
TEST(LayerKernels, TransposesOfTensorsInNhwc) {
  KernelCost cost;
  cost.transposes = true;
  const double in = 32.0 * 16 * 1024, out = 32.0 * 64 * 256;
  const LayerKernels convolution = kernels_of(3, cost, Layout::nhwc);
  EXPECT_EQ(bytes_behind(convolution.forward, 1), (std::vector{in, out}));
  EXPECT_EQ(bytes_behind(convolution.input_gradient, 1), (std::vector{in, out}));
  EXPECT_EQ(bytes_behind(convolution.weight_gradient, 1), (std::vector{in, out}));
  EXPECT_TRUE(kernels_of(0, cost, Layout::nhwc).input_gradient.empty());
  const LayerKernels norm = kernels_of(1, cost, Layout::nhwc);
  EXPECT_EQ(bytes_behind(norm.forward, 1), (std::vector{in, in}));
  EXPECT_EQ(bytes_behind(norm.input_gradient, 1), (std::vector{in, in, in}));
  EXPECT_EQ(kernels_of(2, cost, Layout::nhwc).forward.size(), 1U);
}

TEST(LayerKernels, TransposesNothingElsewhere) {
  KernelCost cost;
  cost.transposes = true;
  EXPECT_EQ(kernels_of(3, cost).forward.size(), 1U);
  EXPECT_EQ(kernels_of(3, cost, Layout::nhwc, Precision::fp16).forward.size(), 1U);
  EXPECT_EQ(kernels_of(3, {}, Layout::nhwc).forward.size(), 1U);
}

// 2 x 2 bytes x 4 items.
TEST(LayerKernels, ConvolutionsOnTensorCoresInNchwAreTransposed) {
  const double in = 16.0 * 16 * 1024, out = 16.0 * 64 * 256;
  const LayerKernels convolution = kernels_of(3, {}, Layout::nchw, Precision::fp16);
  EXPECT_EQ(bytes_behind(convolution.forward, 1), (std::vector{in, out}));
  EXPECT_EQ(bytes_behind(convolution.weight_gradient, 1), (std::vector{in, out}));
  EXPECT_EQ(kernels_of(1, {}, Layout::nchw, Precision::fp16).forward.size(), 1U);
  const LayerKernels tf32 = kernels_of(3, {}, Layout::nchw, Precision::tf32);
  EXPECT_EQ(bytes_behind(tf32.forward, 1), (std::vector{2 * in, 2 * out}));
  EXPECT_EQ(kernels_of(3, {}, Layout::nhwc, Precision::tf32).forward.size(), 1U);
}

TEST(LayerKernels, AreCountedWhereTheyAreLaunched) {
  const LayerKernels convolution = kernels_of(3, {}, Layout::nchw, Precision::fp16);
  EXPECT_EQ(launches(convolution.forward), 1) << "without the transposes";
  Kernel chain;
  chain.repeats = 20;
  EXPECT_EQ(launches({chain, Kernel{}}), 21);
  KernelCost cost;
  cost.fused = true;
  EXPECT_EQ(launches(kernels_of(2, cost).input_gradient), 0) << "a part of the one before";
}

}  // namespace
}  // namespace paceline
