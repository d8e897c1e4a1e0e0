// SPDX-License-Identifier: MIT
// A worker's passes on a GPU, compared with those on the CPU.
#include "exec/cuda/network/cuda_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cuda/layers/operations.hpp"
#include "models/load_network.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/network/device_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"
#include "training/learning/arithmetic/supported_layers.hpp"

namespace paceline::cuda {
namespace {

using Kind = LayerKind;

std::string name_of(Precision precision) {
  for (const auto& row : enum_rows<Precision>()) {
    if (row.value == precision) return row.name;
  }
  return "?";
}
const char* name_of(Layout layout) {
  return layout == Layout::nchw ? "nchw" : "nhwc";
}

struct Reference {
  RandomBatch batch;
  std::vector<float> weights, gradient;
  double loss = 0;

  Reference(const Network& network, int items, std::vector<float> start)
      : batch(network, items), weights(std::move(start)) {
    const auto arithmetic = make_arithmetic(network, items);
    arithmetic->draw_dropout(DropoutDraw{DeviceNetwork::kKey, 0, 0, 0});
    gradient = paceline::pass(*arithmetic, network, batch, weights);
    loss = arithmetic->loss();
  }
};

void expect_same_as_cpu(const NetworkSetting& setting, const Reference& reference, double bound,
                        double least = 1e-2) {
  DeviceNetwork device(setting);
  device.set_weights(reference.weights);
  device.poison_gradient();
  device.load(reference.batch.inputs, reference.batch.targets);
  device.pass();
  EXPECT_NEAR(static_cast<double>(device.loss()), reference.loss,
              bound * (1 + std::abs(reference.loss)));
  expect_close(*setting.network, device.gradient(), reference.gradient, bound, least);
}

class SmallGraphs : public DeviceTest,
                    public testing::WithParamInterface<std::tuple<SmallGraph, Layout>> {};

TEST_P(SmallGraphs, LearnAsOnTheCpu) {
  const auto& [graph, layout] = GetParam();
  const Network network = graph.network();
  constexpr int kItems = 5;
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = kItems;
  setting.layout = layout;
  expect_same_as_cpu(setting, {network, kItems, uneven_weights(network)}, 1e-4);
}

// Ranges in pieces, launched directly and as graphs, with other mini-batches between, give bitwise
// equal results.
TEST_P(SmallGraphs, LearnTheSameInPiecesAndFromGraphs) {
  const auto& [graph, layout] = GetParam();
  const Network network = graph.network();
  constexpr int kItems = 4;
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = kItems;
  setting.layout = layout;
  setting.deterministic = true;  // else some of cuDNN's kernels may sum in another order each time
  const RandomBatch batch(network, kItems), other(network, kItems, 1, 7);
  AlgorithmCache choices("");
  setting.graphs = false;
  DeviceNetwork plain(setting, &choices);
  setting.graphs = true;
  DeviceNetwork device(setting, &choices);
  const std::vector<float> weights = uneven_weights(network);
  plain.set_weights(weights);
  device.set_weights(weights);
  constexpr std::int64_t kStep = 1, kOther = 2;
  plain.load(batch.inputs, batch.targets, kStep);
  plain.pass();
  const std::vector<float> gradient = plain.gradient();
  const float loss = plain.loss(kStep);
  const int pieces = std::min(3, static_cast<int>(network.layers.size()));
  for (int time = 0; time < 4; ++time) {
    device.load(other.inputs, other.targets, kOther);
    device.pass(pieces);
    device.poison_gradient();
    device.load(batch.inputs, batch.targets, kStep);
    device.pass(pieces);
    EXPECT_EQ(device.loss(kStep), loss);
    EXPECT_EQ(device.gradient(), gradient) << "time " << time;
  }
}

INSTANTIATE_TEST_SUITE_P(CudaNetwork, SmallGraphs,
                         testing::Combine(testing::ValuesIn(kSmallGraphs),
                                          testing::Values(Layout::nchw, Layout::nhwc)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

class Formats : public DeviceTest,
                public testing::WithParamInterface<std::tuple<Precision, Layout>> {
 protected:
  NetworkSetting setting(const Network& network, int items) const {
    NetworkSetting setting;
    setting.network = &network;
    setting.batch = items;
    std::tie(setting.precision, setting.layout) = GetParam();
    return setting;
  }
  /// Half a unit in the last place of the format; for tf32, of its products.
  static double rounding() {
    const Precision precision = std::get<0>(GetParam());
    return precision == Precision::bf16 ? 0x1p-9 : 0x1p-11;
  }
  /// In fp32 nearly every tensor must meet the bound.
  static double least() { return std::get<0>(GetParam()) == Precision::fp32 ? 1e-6 : 1e-2; }
  /// Without a ReLU nothing flips: rounding errors of both passes grow with the square root of
  /// their number, and batch norms amplify them somewhat.
  static double smooth_bound() {
    return std::get<0>(GetParam()) == Precision::fp32 ? 1e-4 : 4 * rounding() * std::sqrt(16.0);
  }
  /// The bound on the distance of gradients from fp32 behind `relus` ReLUs. Rounding flips the
  /// ReLUs with inputs near 0. Their share is proportional to the rounding error and their
  /// gradients are entirely wrong, so the distance grows with the square root of the rounding error
  /// and of the number of layers. The factor allows for other orders of summation (up to 2 was
  /// observed); the smooth network has a tighter bound.
  static double bound(double relus) {
    if (std::get<0>(GetParam()) == Precision::fp32) return 1e-4;
    return 3 * std::sqrt(rounding() * relus);
  }
};

TEST_P(Formats, LearnASmoothNetworkAsOnTheCpu) {
  GraphSketch g({3, 8, 8});
  int x = GraphSketch::kInput;
  for (int i = 0; i < 3; ++i) x = g.batch_norm(g.convolution(x, 8, {3, 3, 1, 1, 1, 1, 1}));
  const Network network = g.classify(g.pool(Kind::average_pool, x, {4, 4, 4}), 5);
  constexpr int kItems = 6;
  expect_same_as_cpu(setting(network, kItems), {network, kItems, uneven_weights(network)},
                     smooth_bound());
}

// Two batch norms are one operation, which writes only the pixels that are read. No batch norm
// follows, in front of which the gradients of their shifts would be 0 but for rounding.
TEST_P(Formats, LearnAConvolvedShortcutAsOnTheCpu) {
  constexpr int kChannels = 32;  // of 8 values, one more rounding of a sum in bf16 passed the bound
  GraphSketch g({3, 7, 7});
  int x = g.convolution(GraphSketch::kInput, kChannels, {3, 3, 1, 1, 1, 1, 1}, false);
  const int y = g.batch_norm(g.convolution(x, kChannels, {1, 1}, false));
  x = g.add({y, g.batch_norm(g.convolution(x, kChannels, {1, 1}, false))});
  x = g.add({g.convolution(x, kChannels, {1, 1, 2}), g.convolution(x, kChannels, {1, 1, 2})});
  const Network network = g.classify(g.pool(Kind::average_pool, x, {4, 4, 4}), 5);
  constexpr int kItems = 6;
  expect_same_as_cpu(setting(network, kItems), {network, kItems, uneven_weights(network)},
                     smooth_bound());
}

TEST_P(Formats, LearnAPerceptronAsOnTheCpu) {
  const Network network = load_network(Tree::scalar("mlp"));
  constexpr int kItems = 8;
  expect_same_as_cpu(setting(network, kItems), {network, kItems, initial_weights(network, 3)},
                     bound(2), least());
}

TEST_P(Formats, LearnResNet20AsOnTheCpu) {
  const Network network = load_network(Tree::scalar("cifar10_resnet20"));
  constexpr int kItems = 4;
  expect_same_as_cpu(setting(network, kItems), {network, kItems, initial_weights(network, 3)},
                     bound(19), least());
}

INSTANTIATE_TEST_SUITE_P(CudaNetwork, Formats,
                         testing::Combine(testing::Values(Precision::fp32, Precision::tf32,
                                                          Precision::fp16, Precision::bf16),
                                          testing::Values(Layout::nchw, Layout::nhwc)),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

NetworkSetting plain(const Network& network, int items) {
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = items;
  return setting;
}

class CudaNetworkTest : public DeviceTest {};

class Presets : public DeviceTest, public testing::WithParamInterface<std::string> {};

// On the emulation only the small ones, since each shape of a convolution is timed there too.
TEST_P(Presets, CanBeMade) {
  const Network network = load_network(Tree::scalar(GetParam()));
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = 1;
  leave_out_arithmetic(0);
  const DeviceNetwork device(setting);
}

INSTANTIATE_TEST_SUITE_P(CudaNetwork, Presets, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const std::string& name : network_names()) {
                             const Network network = load_network(Tree::scalar(name));
                             if (!uncomputable(plain(network, 1)).empty()) continue;
                             const bool few =
                                 name.starts_with("cifar10_resnet") || network.macs() < 2'000'000;
                             if (few || !emulated()) names.push_back(name);
                           }
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

TEST_F(CudaNetworkTest, SaysWhatItCannotCompute) {
  const Network synthetic = load_network(Tree::scalar("synthetic"));
  EXPECT_THAT(uncomputable(plain(synthetic, 1)),
              testing::HasSubstr("': a synthetic layer has no arithmetic"));
  const Network vgg = load_network(Tree::scalar("vgg16"));
  EXPECT_EQ(uncomputable(plain(vgg, 512)), "");
  for (const std::string& name : network_names()) {
    const Network network = load_network(Tree::scalar(name));
    const bool transforms = std::ranges::any_of(network.layers, [](const Layer& layer) {
      return layer.kind == LayerKind::attention || layer.tied > 0;
    });
    if (!transforms || !unsupported(network).empty()) continue;
    EXPECT_THAT(uncomputable(plain(network, 1)),
                testing::HasSubstr("' of '" + network.name + "' has no arithmetic on GPUs"))
        << name;
  }
}

TEST_F(CudaNetworkTest, ALossIsOfOneVectorAnItem) {
  Layer loss;
  loss.kind = LayerKind::softmax;
  loss.in = {10, 1, 1};
  EXPECT_TRUE(has_operation(loss));
  loss.in = {10, 7, 1};  // a class of each of seven positions
  EXPECT_FALSE(has_operation(loss));
  loss.kind = LayerKind::squared_error;
  EXPECT_FALSE(has_operation(loss));
  loss.in = {1, 1, 1};
  EXPECT_TRUE(has_operation(loss));
}

TEST_F(CudaNetworkTest, KeepsTheLossesOfTheLastSteps) {
  const Network network = GraphSketch({5, 1, 1}).classify(GraphSketch::kInput, 3);
  DeviceNetwork device(plain(network, 2));
  device.set_weights(uneven_weights(network));
  std::vector<float> losses;
  for (std::int64_t step = 0; step < 11; ++step) {
    const RandomBatch batch(network, 2, 0, step);
    device.load(batch.inputs, batch.targets, step);
    device.pass();
    losses.push_back(device.loss(step));
  }
  EXPECT_NE(losses[9], losses[10]);
  for (std::int64_t step = 3; step < 11; ++step) {
    EXPECT_EQ(device.loss(step), losses[static_cast<std::size_t>(step)]);
  }
}

Network with_dropout() {
  GraphSketch g({6, 4, 4});
  const int a = g.simple(Kind::dropout, g.convolution(GraphSketch::kInput, 8, {}));
  const int b = g.simple(Kind::dropout, g.simple(Kind::activation, g.fully_connected(a, 32)));
  Network network = g.classify(b, 3);
  for (Layer& layer : network.layers) {
    if (layer.kind == Kind::dropout) layer.dropout_rate = 0.4;
  }
  return network;
}

// A step drops the same elements as on the CPU, the same each time, and others than the next step.
TEST_F(CudaNetworkTest, DropsOutAsTheCpu) {
  const Network network = with_dropout();
  constexpr int kItems = 6;
  const RandomBatch batch(network, kItems);
  const std::vector<float> weights = uneven_weights(network);
  const auto arithmetic = make_arithmetic(network, kItems);
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    NetworkSetting setting = plain(network, kItems);
    setting.layout = layout;
    DeviceNetwork device(setting);
    device.set_weights(weights);
    std::vector<float> losses;
    for (const std::int64_t step : {3, 4, 3, 3}) {
      arithmetic->draw_dropout(
          DropoutDraw{DeviceNetwork::kKey, 0, static_cast<std::uint64_t>(step), 0});
      const std::vector<float> gradient = paceline::pass(*arithmetic, network, batch, weights);
      device.load(batch.inputs, batch.targets, step);
      device.pass();
      losses.push_back(device.loss(step));
      EXPECT_NEAR(static_cast<double>(losses.back()), arithmetic->loss(), 1e-4);
      expect_close(network, device.gradient(), gradient, 1e-4);
    }
    EXPECT_NE(losses[0], losses[1]);
    EXPECT_EQ(losses[0], losses[2]);
    EXPECT_EQ(losses[0], losses[3]);  // from graphs
  }
}

// A mini-batch that was given up does not affect later ones.
TEST_F(CudaNetworkTest, BeginsAnewAfterAMiniBatchThatWasGivenUp) {
  const Network network = load_network(Tree::scalar("mlp"));
  constexpr int kItems = 4;
  const Reference reference(network, kItems, initial_weights(network, 3));
  const RandomBatch other(network, kItems, 1, 7);
  DeviceNetwork device(plain(network, kItems));
  device.set_weights(reference.weights);
  device.load(other.inputs, other.targets);
  device.run(Pass::forward, 0, 1);
  device.run(Pass::backward, 1, 2);
  device.load(reference.batch.inputs, reference.batch.targets, 1);
  device.pass();
  expect_close(network, device.gradient(), reference.gradient, 1e-4);
}

TEST_F(CudaNetworkTest, ListsItsAlgorithms) {
  GraphSketch g({3, 6, 6});
  const int a = g.simple(Kind::activation, g.batch_norm(g.convolution(GraphSketch::kInput, 4, {})));
  const Network network = g.classify(a, 3);
  DeviceNetwork device(plain(network, 2));
  const std::vector<std::string> lines = device.network().algorithms();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], testing::StartsWith("layer0: "));
  EXPECT_EQ(lines[1], "layer1+layer2: own kernels");
  EXPECT_THAT(lines[2], testing::StartsWith("layer3: "));
  EXPECT_GT(device.network().bytes(), 0u);
}

}  // namespace
}  // namespace paceline::cuda
