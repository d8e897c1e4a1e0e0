// SPDX-License-Identifier: MIT
#include "sim/costs/layer_cost.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "experiments/language/share.hpp"
#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "sim/costs/layer_traffic.hpp"
#include "sim/costs/lstm_work.hpp"

namespace paceline {
namespace {

/// 1 TFLOP/s, 2 in fp16, and 100 GB/s.
GpuSpec plain_gpu() {
  GpuSpec gpu;
  gpu.name = "plain";
  gpu.fp32 = FlopsPerSecond{1e12};
  gpu.fp16 = FlopsPerSecond{2e12};
  gpu.memory_bandwidth = BytesPerSecond{100e9};
  return gpu;
}

Network preset(const std::string& name) {
  return load_network(Tree::scalar(name));
}

/// 64 channels of 32x32 to 128 by a 3x3 convolution, without bias.
Network one_convolution() {
  return load_network(parse_yaml("m.yaml",
                                 "{input: {channels: 64, height: 32, width: 32}, classes: 2, "
                                 "blocks: [{channels: 128, kernel: 3, bias: false}, classifier]}"));
}

// MACs per item: 128 x 32 x 32 x 64 x 9 = 75,497,472. At 1 TFLOP/s and 16 items: 2.4159 ms, more
// than the time of the memory traffic. The network's input needs no gradient, the weights do.
TEST(LayerCostTest, ArithmeticBoundLayerByHand) {
  const auto times = layer_times(one_convolution(), {16, Precision::fp32}, plain_gpu(), nullptr);
  const double forward = 2.0 * 75497472 * 16 / 1e12;
  EXPECT_DOUBLE_EQ(times[0].forward.value(), forward);
  EXPECT_DOUBLE_EQ(times[0].backward.value(), forward);
  EXPECT_EQ(times[0].source, CostSource::roofline);
}

// A convolution of 3 x 3 is transformed on ordinary cores: where these have the peak of the tensor
// cores, as on a GeForce, they are faster; where tensor cores have ten times as much, these are.
TEST(LayerCostTest, ProductsInTf32TakeTheFasterCores) {
  GpuSpec gpu = plain_gpu();
  gpu.sms = 10;
  gpu.tf32 = FlopsPerSecond{1e12};
  gpu.efficiency.fp32 = gpu.efficiency.tf32 = Efficiency{Percent{0.8}, 400, "test"};
  const auto on = [&gpu](Precision precision) {
    return layer_times(one_convolution(), {16, precision, Layout::nhwc}, gpu, nullptr)[0];
  };
  EXPECT_EQ(on(Precision::tf32).forward, on(Precision::fp32).forward);
  EXPECT_EQ(on(Precision::tf32).backward, on(Precision::fp32).backward);
  EXPECT_EQ(on(Precision::tf32).source, CostSource::efficiency);
  gpu.tf32 = FlopsPerSecond{10e12};
  EXPECT_LT(on(Precision::tf32).forward, on(Precision::fp32).forward / 2);
  gpu.efficiency.fp32.reset();
  const Seconds tensor = on(Precision::tf32).forward;
  gpu.efficiency.fp32 = Efficiency{Percent{0.1}, 400, "test"};
  EXPECT_EQ(on(Precision::tf32).forward, tensor) << "ordinary cores are slower";
}

// The ReLU after it: forward reads and writes 131,072 elements of 4 bytes; backward reads its
// output and the gradient and writes a gradient.
TEST(LayerCostTest, MemoryBoundLayerByHand) {
  const auto times = layer_times(one_convolution(), {16, Precision::fp32}, plain_gpu(), nullptr);
  const double pass = 16.0 * 131072 * 4 / 100e9;
  EXPECT_DOUBLE_EQ(times[1].forward.value(), 2 * pass);
  EXPECT_DOUBLE_EQ(times[1].backward.value(), 3 * pass);
}

TEST(LayerCostTest, TrafficOfAConvolutionByHand) {
  const Network network = one_convolution();
  const double in = 65536, out = 131072, weights = 73728;
  const LayerTraffic traffic = layer_traffic(network.layers[0], 16, Bytes{4});
  EXPECT_DOUBLE_EQ(traffic.forward.value(), 4 * (16 * (in + out) + weights));
  EXPECT_DOUBLE_EQ(traffic.backward.value(), 4 * (16 * (2 * in + 2 * out) + 2 * weights));
}

/// 10 steps of 16 features to 32 units, from a table of 1000 tokens.
Network one_lstm() {
  return load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 1, height: 10}, classes: 2, blocks: [{kind: embedding, vocabulary: 1000, "
      "features: 16}, {kind: lstm, units: 32}, global-average-pool, classifier]}"));
}

// Forward reads 10 ids per item and their rows, and writes the rows; backward zeroes the table's
// gradient, reads the ids and the gradients of the rows, and adds these to the table's.
TEST(LayerCostTest, TrafficOfAnEmbeddingByHand) {
  const LayerTraffic traffic = layer_traffic(one_lstm().layers[0], 4, Bytes{4});
  EXPECT_DOUBLE_EQ(traffic.forward.value(), 4.0 * 4 * (10 + 2 * 160));
  EXPECT_DOUBLE_EQ(traffic.backward.value(), 4.0 * (4 * (10 + 3 * 160) + 16000));
}

// A batch of 1 is limited by memory: each of the ten steps reads the 4 x 32 x 32 weights again.
TEST(LayerCostTest, AnLstmOfOneItemReadsItsWeightsAgainEveryStep) {
  const Layer lstm = one_lstm().layers[1];
  const LayerTraffic traffic = layer_traffic(lstm, 1, Bytes{4});
  const double inputs = 10 * (16 + 4 * 32) + 4 * 32 * 16;
  const double steps = 10 * (12 * 32 + 4 * 32 * 32);
  EXPECT_DOUBLE_EQ(traffic.forward.value(), 4 * (inputs + steps));
  const auto times = layer_times(one_lstm(), {1, Precision::fp32}, plain_gpu(), nullptr);
  EXPECT_DOUBLE_EQ(times[1].forward.value(), traffic.forward.value() / 100e9);
  EXPECT_DOUBLE_EQ(times[1].backward.value(), traffic.backward.value() / 100e9);
}

// Two parts, one limited by arithmetic and one by memory, take the sum of their times: with many
// features and few units the product over all steps has many FLOPs per byte, the chain of steps
// few.
TEST(LayerCostTest, AnLstmsPartsFollowOneAnother) {
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 4096, height: 10}, classes: 2, blocks: [{kind: lstm, units: 64}, "
      "global-average-pool, classifier]}"));
  const LstmWork work = lstm_work(network.layers[0], 64, Bytes{4});
  const GpuSpec gpu = plain_gpu();
  ASSERT_GT(work.forward_inputs.flops / gpu.fp32, work.forward_inputs.bytes / gpu.memory_bandwidth);
  ASSERT_LT(work.forward_steps.flops / gpu.fp32, work.forward_steps.bytes / gpu.memory_bandwidth);
  const auto times = layer_times(network, {64, Precision::fp32}, gpu, nullptr);
  EXPECT_DOUBLE_EQ(times[0].forward.value(),
                   (work.forward_inputs.flops / gpu.fp32).value() +
                       (work.forward_steps.bytes / gpu.memory_bandwidth).value());
  EXPECT_DOUBLE_EQ((work.forward_inputs.flops + work.forward_steps.flops).value(),
                   network.layers[0].forward_flops().value() * 64);
  EXPECT_DOUBLE_EQ((work.backward_steps.flops + work.backward_products.flops).value(),
                   network.layers[0].backward_flops().value() * 64);
}

TEST(LayerCostTest, TheTableSaysWhatShareOfThePeakIsReached) {
  GpuSpec gpu = plain_gpu();
  const auto bare = layer_times(one_convolution(), {16, Precision::fp32}, gpu, nullptr);
  gpu.efficiency.memory = Efficiency{Percent{0.8}, 0, "test"};
  const auto times = layer_times(one_convolution(), {16, Precision::fp32}, gpu, nullptr);
  EXPECT_DOUBLE_EQ(times[0].forward.value(), bare[0].forward.value());
  EXPECT_DOUBLE_EQ(times[1].forward.value(), bare[1].forward.value() / 0.8);
  EXPECT_EQ(times[0].source, CostSource::roofline);
  EXPECT_EQ(times[1].source, CostSource::efficiency);
}

// Half precision: twice the peak where the GPU has it, and half the bytes; the peak of fp32 where
// it lacks it.
TEST(LayerCostTest, Precision) {
  const Network network = one_convolution();
  const auto single = layer_times(network, {16, Precision::fp32}, plain_gpu(), nullptr);
  const auto half = layer_times(network, {16, Precision::fp16, Layout::nhwc}, plain_gpu(), nullptr);
  const auto brain =
      layer_times(network, {16, Precision::bf16, Layout::nhwc}, plain_gpu(), nullptr);
  EXPECT_DOUBLE_EQ(half[0].forward.value(), single[0].forward.value() / 2);
  EXPECT_DOUBLE_EQ(half[1].forward.value(), single[1].forward.value() / 2);
  EXPECT_DOUBLE_EQ(brain[0].forward.value(), single[0].forward.value());
}

TEST(LayerCostTest, ProfileComesFirstWhereItIsOfJustThis) {
  const Network network = one_convolution();
  NetworkProfile profile;
  profile.network = network.name;
  profile.parameters = network.parameters();
  profile.gpu = "NVIDIA Plain";
  profile.batch = 16;
  profile.forward.assign(network.layers.size(), Seconds{0.25});
  profile.backward.assign(network.layers.size(), Seconds{0.5});
  auto times = layer_times(network, {16, Precision::fp32}, plain_gpu(), &profile);
  EXPECT_EQ(times[0].source, CostSource::profile);
  EXPECT_EQ(times[0].forward, Seconds{0.25});
  EXPECT_EQ(times[0].backward, Seconds{0.5});
  times = layer_times(network, {8, Precision::fp32}, plain_gpu(), &profile);
  EXPECT_EQ(times[0].source, CostSource::roofline) << "measured at another batch";
  times = layer_times(network, {16, Precision::bf16}, plain_gpu(), &profile);
  EXPECT_EQ(times[0].source, CostSource::roofline) << "measured in another precision";
  profile.gpu = "NVIDIA Other";
  times = layer_times(network, {16, Precision::fp32}, plain_gpu(), &profile);
  EXPECT_EQ(times[0].source, CostSource::roofline) << "measured on another GPU";
}

TEST(LayerCostTest, SyntheticLayersSayTheirOwnTime) {
  const auto times = layer_times(preset("synthetic"), {7, Precision::fp32}, plain_gpu(), nullptr);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].source, CostSource::given);
  EXPECT_DOUBLE_EQ(step_time(times).value(), 10e-3);
}

TEST(LayerCostTest, OnAnIdealMachineRealLayersTakeNoTime) {
  const GpuSpec ideal;
  EXPECT_EQ(step_time(layer_times(preset("resnet50"), {64, Precision::fp32}, ideal, nullptr)),
            Seconds{});
}

TEST(LayerCostTest, ScaledTimesSumToTheMeasuredStep) {
  auto times = layer_times(preset("resnet50"), {64, Precision::fp32}, plain_gpu(), nullptr);
  const double ratio = times[0].forward / times[1].forward;
  scale_to(times, Seconds{0.292237});
  EXPECT_NEAR(step_time(times).value(), 0.292237, 1e-12);
  EXPECT_NEAR(times[0].forward / times[1].forward, ratio, 1e-12 * ratio);
  EXPECT_TRUE(times[0].scaled);
  std::vector<LayerTime> nothing(3);
  EXPECT_THROW(scale_to(nothing, Seconds{1}), std::invalid_argument);
}

// Published on a P100 at batch 64: VGG-16 takes 416 ms, ResNet-50 292 ms, ResNet-152 697 ms. The
// model without fitting is close, and its ratios are closer than its times.
TEST(LayerCostTest, NetworksCompareAsPublished) {
  const GpuSpec p100 = load_gpu(Tree::scalar("p100-sxm2"));
  const auto step = [&](const char* name) {
    return step_time(layer_times(preset(name), {64, Precision::fp32}, p100, nullptr)).value();
  };
  const double resnet50 = step("resnet50");
  EXPECT_NEAR(resnet50, 0.292, 0.4 * 0.292);
  EXPECT_NEAR(step("resnet152") / resnet50, 697.0 / 292.0, 0.4);
  EXPECT_GT(step("vgg16") / resnet50, 1.2);
  EXPECT_LT(step("vgg16") / resnet50, 4.0);
}

}  // namespace
}  // namespace paceline
