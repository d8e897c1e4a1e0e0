// SPDX-License-Identifier: MIT
// Both passes of a mini-batch as one range give the same bits as one range each.
#include <array>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/network/device_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"

namespace paceline::cuda {
namespace {

class BothPasses : public DeviceTest, public testing::WithParamInterface<SmallGraph> {};

TEST_P(BothPasses, LearnTheSameAsOneAfterTheOther) {
  const Network network = GetParam().network();
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = 4;
  const RandomBatch batch(network, setting.batch);
  constexpr std::int64_t kStep = 1;
  DeviceNetwork device(setting);
  device.set_weights(uneven_weights(network));
  device.load(batch.inputs, batch.targets, kStep);
  device.pass();
  const std::vector<float> gradient = device.gradient();
  const float loss = device.loss(kStep);
  const LayerRange layers{Pass::forward, 0, static_cast<std::int32_t>(network.layers.size())};
  const std::array<DeviceEvent, 3> borders;
  for (const DeviceEvent& border : borders) {  // the second and third from a graph
    device.poison_gradient();
    device.load(batch.inputs, batch.targets, kStep);
    device.network().run_both(layers, border);
    EXPECT_EQ(device.loss(kStep), loss);
    EXPECT_EQ(device.gradient(), gradient) << "time " << &border - borders.data();
    EXPECT_TRUE(border.passed());
  }
}

INSTANTIATE_TEST_SUITE_P(SmallGraphs, BothPasses, testing::ValuesIn(kSmallGraphs),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace paceline::cuda
