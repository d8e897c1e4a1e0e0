// SPDX-License-Identifier: MIT
#include "exec/cuda/network/pieces.hpp"

#include <gtest/gtest.h>

#include "models/load_network.hpp"

namespace paceline::cuda {
namespace {

constexpr double kH100 = 132 * 256 * 1.98e9;  ///< flop/s in fp32 at its highest clock

/// The pieces of whole passes.
std::vector<LayerRange> pieces_of(const Pieces& pieces, LayerRange rest) {
  std::vector<LayerRange> all;
  while (rest.count() > 0) {
    all.push_back(pieces.first_of(rest));
    (rest.pass == Pass::forward ? rest.first : rest.last) =
        rest.pass == Pass::forward ? all.back().last : all.back().first;
  }
  return all;
}

NetworkSetting setting_of(const Network& network, int batch, Precision precision) {
  NetworkSetting setting;
  setting.network = &network;
  setting.batch = batch;
  setting.precision = precision;
  return setting;
}

TEST(Pieces, OfALargeNetworkAreSixteenOfLikeTime) {
  const Network network = load_network(Tree::scalar("resnet50"));
  const auto layers = static_cast<std::int32_t>(network.layers.size());
  const Pieces pieces(setting_of(network, 128, Precision::fp32), kH100);
  // 128 x 4.1 G multiply-adds at 67 TFLOP/s are 16 ms; as much is for tensors
  EXPECT_GT(pieces.time(Pass::forward).value(), 15e-3);
  EXPECT_LT(pieces.time(Pass::forward).value(), 60e-3);
  EXPECT_NEAR(pieces.time(Pass::backward) / pieces.time(Pass::forward), 2, 1e-9);
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const std::vector<LayerRange> all = pieces_of(pieces, {pass, 0, layers});
    EXPECT_EQ(all.size(), 16U);
    std::int32_t sum = 0;
    for (const LayerRange& piece : all) {
      EXPECT_LE(piece.count(), layers / 6);
      sum += piece.count();
    }
    EXPECT_EQ(sum, layers);
  }
}

TEST(Pieces, OfASmallNetworkAreNotTooShort) {
  const Network network = load_network(Tree::scalar("cifar10_resnet20"));
  const auto layers = static_cast<std::int32_t>(network.layers.size());
  const auto count = [&](int batch, double rate) {
    const Pieces pieces(setting_of(network, batch, Precision::fp32), rate);
    const auto all = pieces_of(pieces, {Pass::forward, 0, layers});
    EXPECT_GE(pieces.time(Pass::forward).value() / static_cast<double>(all.size()),
              std::min(Pieces::kShortest, pieces.time(Pass::forward)).value());
    return all.size();
  };
  EXPECT_EQ(count(16, kH100), 1U);
  EXPECT_GT(count(128, kH100 / 8), 4U) << "on an eighth of the card they take longer";
  EXPECT_EQ(count(4096, kH100), 16U);
}

TEST(Pieces, EndWhereWhatIsLeftEnds) {
  const Network network = load_network(Tree::scalar("resnet50"));
  const Pieces pieces(setting_of(network, 128, Precision::bf16), kH100);
  const LayerRange one{Pass::backward, 100, 101};
  EXPECT_EQ(pieces.first_of(one).count(), 1);
  const LayerRange whole{Pass::backward, 0, static_cast<std::int32_t>(network.layers.size())};
  EXPECT_EQ(pieces.first_of(whole).last, whole.last);
}

}  // namespace
}  // namespace paceline::cuda
