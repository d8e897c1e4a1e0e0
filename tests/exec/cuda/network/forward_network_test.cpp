// SPDX-License-Identifier: MIT
// Networks that only go forward, in the memory of one that trains.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/network/device_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"

namespace paceline::cuda {
namespace {

class ForwardNetworkTest : public DeviceTest,
                           public testing::WithParamInterface<std::tuple<SmallGraph, Layout>> {};

// A validation between mini-batches, of another size, in memory of training.
TEST_P(ForwardNetworkTest, GoesForwardBesideTraining) {
  const auto& [graph, layout] = GetParam();
  const Network network = graph.network();
  NetworkSetting setting;
  setting.network = &network;
  setting.layout = layout;
  const std::vector<float> weights = uneven_weights(network);
  constexpr int kItems = 4;
  for (const int validated : {3, 9}) {
    const RandomBatch batch(network, kItems), other(network, validated, 1, 7);
    setting.trains = true;
    setting.batch = validated;
    DeviceNetwork expected(setting);
    expected.set_weights(weights);
    expected.load(other.inputs, other.targets);
    expected.pass();
    const float loss = expected.loss();

    setting.batch = kItems;
    DeviceNetwork device(setting);
    device.set_weights(weights);
    device.load(batch.inputs, batch.targets);
    device.pass();
    const std::vector<float> gradient = device.gradient();
    const float trained = device.loss();
    setting.batch = validated;
    setting.trains = false;
    CudaNetwork forward(setting, device.network());
    const PinnedMemory inputs(other.inputs.size() * sizeof(float));
    const PinnedMemory targets(other.targets.size() * sizeof(float));
    std::ranges::copy(other.inputs, inputs.as<float>());
    std::ranges::copy(other.targets, targets.as<float>());
    const auto layers = static_cast<int>(network.layers.size());
    for (int time = 0; time < 3; ++time) {
      forward.load(inputs.as<float>(), targets.as<float>(), DeviceNetwork::kKey, {0, 0});
      forward.run({Pass::forward, 0, layers / 2});
      forward.run({Pass::forward, layers / 2, layers});
      device.wait();
      EXPECT_NEAR(forward.loss(0), loss, 1e-5 * (1 + std::abs(loss)));
      EXPECT_EQ(device.loss(), trained) << "validation keeps its own";
      device.poison_gradient();
      device.load(batch.inputs, batch.targets);
      device.pass();
      EXPECT_EQ(device.gradient(), gradient);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallGraphs, ForwardNetworkTest,
                         testing::Combine(testing::ValuesIn(kSmallGraphs),
                                          testing::Values(Layout::nchw, Layout::nhwc)),
                         [](const auto& test) {
                           const bool nchw = std::get<1>(test.param) == Layout::nchw;
                           return std::string(std::get<0>(test.param).name) +
                                  (nchw ? "_nchw" : "_nhwc");
                         });

}  // namespace
}  // namespace paceline::cuda
