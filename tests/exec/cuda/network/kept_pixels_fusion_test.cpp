// SPDX-License-Identifier: MIT
// Groups that make only the pixels that their readers read.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cuda/network/fusion.hpp"
#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"

namespace paceline::cuda {
namespace {

using ::testing::ElementsAre;
using Kind = LayerKind;

/// The stride of the group of a batch norm on 7x5 that `readers` read.
template <class Readers>
int stride_before(Readers readers) {
  GraphSketch g({2, 7, 5});
  const int norm = g.batch_norm(g.convolution(GraphSketch::kInput, 4, {1, 1}));
  const Network network = g.classify(readers(g, norm), 3);
  return plan_fusion(network)[1].stride;
}

// Pixels that convolutions of 1x1 skip are not written.
TEST(KeptPixelsFusion, KeepsOnlyThePixelsThatAreRead) {
  GraphSketch g({2, 7, 5});
  const int a = g.convolution(GraphSketch::kInput, 4, {1, 1});  // 0
  const int b = g.simple(Kind::activation, g.batch_norm(a));    // 1, 2
  const int c = g.convolution(b, 6, {1, 1, 2});                 // 3
  const int d = g.convolution(b, 6, {1, 1, 2});                 // 4
  const Network network = g.classify(g.add({c, d}), 3);
  const std::vector<Group> groups = plan_fusion(network);
  EXPECT_EQ(groups[1].stride, 2);
  const Network reduced = network_of(network, groups);
  EXPECT_EQ(reduced.layers[1].in, (Shape{4, 7, 5}));
  EXPECT_EQ(reduced.layers[1].out, (Shape{4, 4, 3}));
  EXPECT_EQ(reduced.layers[1].stride, 2);
  for (const std::size_t reader : {2u, 3u}) {
    EXPECT_EQ(reduced.layers[reader].in, (Shape{4, 4, 3}));
    EXPECT_EQ(reduced.layers[reader].out, (Shape{6, 4, 3}));
    EXPECT_EQ(reduced.layers[reader].stride, 1);
    EXPECT_EQ(reduced.layers[reader].macs, network.layers[reader + 1].macs);
  }
}

TEST(KeptPixelsFusion, KeepsAllPixelsForOtherReaders) {
  using Window = GraphSketch::Window;
  const auto beside = [](Window one, Window two) {
    return stride_before([=](GraphSketch& g, int x) {
      const int first = g.convolution(x, 4, one);
      return g.fully_connected(g.concat({first, g.convolution(x, 2, two)}), 3);
    });
  };
  const auto alone = [](Window window) {
    return stride_before([=](GraphSketch& g, int x) { return g.convolution(x, 4, window); });
  };
  EXPECT_EQ(alone({1, 1, 3}), 3);
  EXPECT_EQ(alone({1, 1, 1}), 1);
  EXPECT_EQ(alone({2, 1, 2}), 1);
  EXPECT_EQ(alone({1, 1, 2, 1, 0, 0, 0}), 1);
  EXPECT_EQ(alone({1, 1, 2, 0, 0, 0, 1}), 1);
  EXPECT_EQ(beside({1, 1, 2}, {1, 1, 2}), 2);
  EXPECT_EQ(beside({1, 1, 2}, {3, 3, 2, 1, 1, 1, 1}), 1);
  EXPECT_EQ(stride_before([](GraphSketch& g, int x) {
              return g.fully_connected(
                  g.concat({g.convolution(x, 4, {1, 1, 7}), g.pool(Kind::max_pool, x, {7, 5})}), 3);
            }),
            1);
}

TEST(KeptPixelsFusion, KeepsAQuarterBeforeThreeStagesOfResNet50) {
  const Network network = load_network(Tree::scalar("resnet50"));
  std::vector<Shape> kept;
  const std::vector<Group> groups = plan_fusion(network);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].stride == 1) continue;
    EXPECT_TRUE(groups[g].add && groups[g].relu);
    kept.push_back(network_of(network, groups).layers[g].out);
  }
  EXPECT_THAT(kept, ElementsAre(Shape{256, 28, 28}, Shape{512, 14, 14}, Shape{1024, 7, 7}));
}

// The gradient of a tensor that a group with a stride adds has two parts.
TEST(KeptPixelsFusion, KeepsTheGradientOfASkippedPixelApart) {
  const auto groups_of = [](bool relu, bool read_once, bool last_relu = true) {
    GraphSketch g({2, 4, 4});
    const int a = g.convolution(GraphSketch::kInput, 2, {1, 1});                  // 0
    int b = g.add({g.batch_norm(a), GraphSketch::kInput});                        // 1, 2
    if (relu) b = g.simple(Kind::activation, b);                                  // 3
    const int c = g.convolution(read_once ? GraphSketch::kInput : b, 2, {1, 1});  // 4
    int d = g.add({g.batch_norm(c), b});                                          // 5, 6
    if (last_relu) d = g.simple(Kind::activation, d);                             // 7
    return plan_fusion(g.classify(g.convolution(d, 2, {1, 1, 2}), 3));
  };
  const std::vector<Group> groups = groups_of(true, false);
  EXPECT_THAT(groups[3].layers, ElementsAre(5, 6, 7));
  EXPECT_TRUE(groups[3].apart);
  EXPECT_EQ(groups[1].apart_reader, 7);
  for (const std::vector<Group>& others :
       {groups_of(false, false), groups_of(true, true), groups_of(true, false, false)}) {
    for (const Group& group : others) EXPECT_TRUE(!group.apart && group.apart_reader == -1);
  }
  const std::vector<Group> resnet = plan_fusion(load_network(Tree::scalar("resnet50")));
  EXPECT_EQ(std::count_if(resnet.begin(), resnet.end(), [](const Group& g) { return g.apart; }), 3);
}

}  // namespace
}  // namespace paceline::cuda
