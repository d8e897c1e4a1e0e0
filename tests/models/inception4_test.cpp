// SPDX-License-Identifier: MIT
// The counts of Inception v4 against those that others publish.
#include <gtest/gtest.h>

#include "models/load_network.hpp"

namespace paceline {
namespace {

// timm's inception_v4 has 42,679,816 parameters for 1,000 classes, with a scale in each batch norm;
// convolutions and their norms are 149. Its model card says 12.3 GMACs of convolutions and the
// classifier.
TEST(Inception4, InceptionV4HasThePublishedCounts) {
  const Network network = load_network(Tree::scalar("inception4"));
  std::int64_t scales = 0;
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::batch_norm) scales += layer.parameters;
  }
  const std::int64_t of_background_class = 1536 + 1;
  EXPECT_EQ(network.parameters() + scales - of_background_class, 42679816);
  EXPECT_EQ(network.tensors(), 2 * 149 + 2);
  EXPECT_NEAR(static_cast<double>(network.macs()), 12.3e9, 0.1e9);
}

}  // namespace
}  // namespace paceline
