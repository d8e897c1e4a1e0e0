// SPDX-License-Identifier: MIT
// Networks with fused convolutions learn as those with single operations, and as on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/network/device_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"

namespace paceline::cuda {
namespace {

class FusedNetworkTest : public DeviceTest {};

/// A residual network without a ReLU, so that rounding flips nothing: convolutions that sum for
/// batch norms, one that adds its gradient, and one with a bias and a ReLU at the end.
Network smooth() {
  GraphSketch g({8, 6, 6});
  const GraphSketch::Window same{3, 3, 1, 1, 1, 1, 1};
  int x = g.batch_norm(g.convolution(GraphSketch::kInput, 16, same, false));
  for (int i = 0; i < 2; ++i) {
    const int y = g.batch_norm(g.convolution(x, 16, same, false));
    x = g.add({g.batch_norm(g.convolution(y, 16, same, false)), x});
  }
  x = g.simple(LayerKind::activation, g.convolution(x, 8, same, true));
  return g.classify(g.pool(LayerKind::average_pool, x, {6, 6, 6}), 5);
}

TEST_F(FusedNetworkTest, LearnsAsApart) {
  if (!limit_fusion(false)) GTEST_SKIP() << "this library cannot be limited";
  const Network network = smooth();
  constexpr int kItems = 6;
  const RandomBatch batch(network, kItems);
  const std::vector<float> weights = uneven_weights(network);
  for (const Precision precision : {Precision::fp16, Precision::bf16}) {
    NetworkSetting setting;
    setting.network = &network;
    setting.batch = kItems;
    setting.precision = precision;
    setting.layout = Layout::nhwc;
    setting.deterministic = true;  // the first that works is chosen, not the fastest of this moment
    const auto learn = [&](bool single) {
      limit_fusion(single);
      DeviceNetwork device(setting);
      std::string algorithms;
      for (const std::string& line : device.network().algorithms()) algorithms += line + "\n";
      EXPECT_EQ(algorithms.find("fused engine") == std::string::npos, single) << algorithms;
      device.set_weights(weights);
      for (int time = 0; time < 3; ++time) {  // the third is from graphs
        device.poison_gradient();
        device.load(batch.inputs, batch.targets);
        device.pass();
      }
      return std::pair(device.gradient(), device.loss());
    };
    const auto [apart, apart_loss] = learn(true);
    const auto [fused, loss] = learn(false);
    const double rounding = precision == Precision::bf16 ? 0x1p-9 : 0x1p-11;
    EXPECT_NEAR(loss, apart_loss, 8 * rounding * (1 + std::abs(apart_loss)));
    expect_close(network, fused, apart, 4 * rounding * std::sqrt(20.0));
  }
}

}  // namespace
}  // namespace paceline::cuda
