// SPDX-License-Identifier: MIT
// The loss scale of fp16: when it changes, and gradients of a network that overflow at first.
#include "exec/cuda/kernels/loss_scale.hpp"

#include <cmath>

#include "models/load_network.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"
#include "tests/exec/cuda/network/device_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"

namespace paceline::cuda {
namespace {

class LossScaleTest : public DeviceTest {
 protected:
  /// The scale after a step that begins with `before`.
  static LossScale settled(const LossScale& before) {
    const DeviceArray<LossScale> scale(std::vector<LossScale>{before});
    const DeviceStream stream;
    settle_loss_scale(scale.data(), stream.get());
    check(cudaStreamSynchronize(stream.get()), "waiting");
    return scale.read().front();
  }
};

TEST_F(LossScaleTest, HalvesAfterAnOverflowAndDoublesAfterManyGoodSteps) {
  const LossScale halved = settled({1024, 1 / 1024.0F, 1999, 1, 1});
  EXPECT_EQ(halved.scale, 512);
  EXPECT_EQ(halved.inverse, 1 / 512.0F);
  EXPECT_EQ(halved.good, 0);
  EXPECT_EQ(halved.overflowed, 0);
  const LossScale counted = settled({1024, 1 / 1024.0F, 1998, 1, 0});
  EXPECT_EQ(counted.scale, 1024);
  EXPECT_EQ(counted.good, 1999);
  const LossScale doubled = settled({1024, 1 / 1024.0F, 1999, 1, 0});
  EXPECT_EQ(doubled.scale, 2048);
  EXPECT_EQ(doubled.inverse, 1 / 2048.0F);
  EXPECT_EQ(doubled.good, 0);
}

TEST_F(LossScaleTest, AStepWithoutGradientsDoesNotCount) {
  EXPECT_EQ(settled({1024, 1 / 1024.0F, 7, 0, 0}).good, 7);
}

TEST_F(LossScaleTest, StaysWhereItsInverseIsANumber) {
  EXPECT_EQ(settled({0x1p-24F, 0x1p24F, 0, 1, 1}).scale, 0x1p-24F);
  EXPECT_EQ(settled({0x1p100F, 0x1p-100F, 1999, 1, 0}).scale, 0x1p100F);
}

TEST_F(LossScaleTest, BacksOffUntilGradientsAreFinite) {
  const Network network = kSmallGraphs[0].network();
  constexpr int kItems = 4;
  NetworkSetting setting{&network, kItems, Precision::fp16};
  const RandomBatch batch(network, kItems);
  const std::vector<float> weights = uneven_weights(network);
  DeviceNetwork usual(setting);
  setting.loss_scale = 0x1p30F;
  DeviceNetwork large(setting);
  for (DeviceNetwork* one : {&usual, &large}) one->set_weights(weights);
  const auto pass = [&](DeviceNetwork& one, std::int64_t step) {
    one.load(batch.inputs, batch.targets, step);
    one.pass();
    return one.gradient();
  };
  const std::vector<float> expected = pass(usual, 0);
  const std::vector<float> first = pass(large, 0);
  for (const float element : first) ASSERT_TRUE(std::isfinite(element));
  EXPECT_NE(first, expected);
  std::vector<float> last;
  for (std::int64_t step = 1; step < 30; ++step) last = pass(large, step);
  expect_close(network, last, expected, 1e-2);
  // it ends where gradients fit, and a usual scale is not too large for this network
  LossScale scale;
  copy_now(&scale, large.network().loss_scale(), sizeof scale, "reading");
  EXPECT_LT(scale.scale, 0x1p30F);
  EXPECT_GT(scale.good, 0);
  copy_now(&scale, usual.network().loss_scale(), sizeof scale, "reading");
  EXPECT_EQ(scale.scale, kFirstLossScale);
}

}  // namespace
}  // namespace paceline::cuda
