// SPDX-License-Identifier: MIT
#include "exec/cuda/network/fusion.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/arithmetic/supported_layers.hpp"
#include "training/learning/losses/loss.hpp"

namespace paceline::cuda {
namespace {

using ::testing::ElementsAre;
using Kind = LayerKind;

std::vector<std::vector<int>> layers_of(const std::vector<Group>& groups) {
  std::vector<std::vector<int>> layers;
  for (const Group& group : groups) layers.push_back(group.layers);
  return layers;
}

/// Number of groups by their kinds of layers: "kind", "kind+add", ...
std::map<std::string, int> count(const Network& network) {
  std::map<std::string, int> counts;
  for (const Group& group : plan_fusion(network)) {
    const Layer& first = network.layers[static_cast<std::size_t>(group.first())];
    std::string name;
    for (const auto& row : enum_rows<LayerKind>()) {
      if (row.value == first.kind) name = row.name;
    }
    ++counts[name + (group.add ? "+add" : "") + (group.relu ? "+relu" : "") +
             (group.pool >= 0 ? "+pool" : "")];
  }
  return counts;
}

TEST(Fusion, JoinsABatchNormWithWhatFollows) {
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 2, {1, 1});  // 0
  const int b = g.batch_norm(a);                                // 1
  const int c = g.simple(Kind::activation, b);                  // 2
  const int d = g.convolution(c, 2, {1, 1});                    // 3
  const int e = g.batch_norm(d);                                // 4
  const int f = g.add({e, c});                                  // 5
  const int h = g.simple(Kind::activation, f);                  // 6
  const int i = g.convolution(h, 2, {1, 1});                    // 7
  const int j = g.add({h, g.batch_norm(i)});                    // 8: the norm, 9: the add
  const Network network = g.classify(j, 3);                     // 10, 11
  const std::vector<Group> groups = plan_fusion(network);
  EXPECT_THAT(layers_of(groups),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3), ElementsAre(4, 5, 6),
                          ElementsAre(7), ElementsAre(8, 9), ElementsAre(10), ElementsAre(11)));
  EXPECT_THAT(groups[1].inputs, ElementsAre(0));
  EXPECT_TRUE(groups[1].relu && !groups[1].add);
  EXPECT_THAT(groups[3].inputs, ElementsAre(3, 2));  // the other operand of the add comes last
  EXPECT_TRUE(groups[3].relu && groups[3].add);
  EXPECT_THAT(groups[5].inputs, ElementsAre(7, 6));
  EXPECT_TRUE(!groups[5].relu && groups[5].add);

  const Network reduced = network_of(network, groups);
  ASSERT_EQ(reduced.layers.size(), groups.size());
  EXPECT_THAT(reduced.layers[3].inputs, ElementsAre(2, 1));
  EXPECT_EQ(reduced.layers[3].name, "layer4");
  EXPECT_THAT(reduced.layers[5].inputs, ElementsAre(4, 3));
  EXPECT_EQ(reduced.layers[7].kind, Kind::softmax);
}

TEST(Fusion, JoinsABiasAndReLU) {
  GraphSketch g({2, 4, 4});
  const int a = g.simple(Kind::activation, g.convolution(GraphSketch::kInput, 2, {}));  // 0, 1
  const int b = g.simple(Kind::activation, g.fully_connected(a, 5));                    // 2, 3
  const std::vector<Group> groups = plan_fusion(g.classify(b, 3));                      // 4, 5
  EXPECT_THAT(layers_of(groups),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4), ElementsAre(5)));
  EXPECT_TRUE(groups[0].relu && groups[1].relu && !groups[2].relu);
}

// A tensor that is read twice is written to memory.
TEST(Fusion, LeavesAloneWhatIsReadTwice) {
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 2, {1, 1});  // 0, read by 1 and 4
  const int b = g.simple(Kind::activation, a);                  // 1
  const int c = g.batch_norm(b);                                // 2, read by 3 and 4
  const int d = g.simple(Kind::activation, c);                  // 3
  const int e = g.add({a, c, d});                               // 4
  const int f = g.batch_norm(e);                                // 5, added to itself
  const int h = g.add({f, f});                                  // 6
  const int i = g.batch_norm(h);                                // 7, added to what it reads
  const int j = g.add({i, h});                                  // 8
  const Network network = g.classify(j, 3);
  for (const Group& group : plan_fusion(network)) EXPECT_EQ(group.layers.size(), 1u);
}

// An add of three tensors is not fused, and neither is the ReLU after it.
TEST(Fusion, LeavesAloneAnAddOfThree) {
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 2, {1, 1});
  const int b = g.add({g.batch_norm(a), a, a});
  const Network network = g.classify(g.simple(Kind::activation, b), 3);
  for (const Group& group : plan_fusion(network)) EXPECT_EQ(group.layers.size(), 1u);
}

// A convolution sums for the batch norm that alone reads it, unless a bias or a ReLU comes between.
TEST(Fusion, LetsConvolutionsSumForBatchNorms) {
  const auto sums = [](const Network& network) {
    std::vector<int> layers;
    for (const Group& group : plan_fusion(network)) {
      if (group.sums) layers.push_back(group.first());
    }
    return layers;
  };
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 2, {1, 1}, false);  // 0
  const int b = g.simple(Kind::activation, g.batch_norm(a));           // 1, 2
  const int c = g.convolution(b, 2, {1, 1}, true);                     // 3, with a bias
  const int d = g.batch_norm(c);                                       // 4
  const int e = g.convolution(d, 2, {1, 1}, false);                    // 5, read twice
  const int f = g.add({g.batch_norm(e), e});                           // 6, 7
  const int h = g.convolution(f, 2, {1, 1}, false);                    // 8, with a ReLU
  const int i = g.batch_norm(g.simple(Kind::activation, h));           // 9, 10
  const int j = g.batch_norm(g.pool(Kind::max_pool, i, {1, 1}));       // 11, 12
  EXPECT_THAT(sums(g.classify(j, 3)), ElementsAre(0, 1));
  EXPECT_EQ(sums(load_network(Tree::scalar("resnet50"))).size(), 2u * 53 - 4);  // 4 are of two
}

// If two batch norms are added, both are fused with the add, in any order of its operands.
TEST(Fusion, JoinsTwoBatchNormsThatAreAdded) {
  for (const bool later_first : {true, false}) {
    GraphSketch g({2, 4, 4});
    const int one = g.batch_norm(g.convolution(GraphSketch::kInput, 2, {1, 1}, false));  // 1
    const int two = g.batch_norm(g.convolution(GraphSketch::kInput, 2, {1, 1}));         // 3
    const int sum = later_first ? g.add({two, one}) : g.add({one, two});
    const std::vector<Group> groups = plan_fusion(g.classify(g.simple(Kind::activation, sum), 3));
    const auto joined =
        std::find_if(groups.begin(), groups.end(), [](const Group& group) { return group.add; });
    ASSERT_NE(joined, groups.end());
    EXPECT_THAT(joined->layers, ElementsAre(one, two, sum, sum + 1));
    EXPECT_THAT(joined->inputs, ElementsAre(one - 1, two - 1));
    EXPECT_EQ(joined->shortcut, two);
    EXPECT_TRUE(joined->relu && joined->sums);
    EXPECT_TRUE(groups[0].sums && !groups[1].sums);  // the second convolution has a bias
  }
}

// Of two batch norms of the same tensor, or one that is read again, only one is fused with the add:
// the one that the add names first.
TEST(Fusion, JoinsOneOfTwoBatchNormsThatDependOnEachOther) {
  for (const bool same_tensor : {true, false}) {
    GraphSketch g({2, 4, 4});
    const int a = g.convolution(GraphSketch::kInput, 2, {1, 1});                    // 0
    const int b = same_tensor ? a : g.convolution(GraphSketch::kInput, 2, {1, 1});  // 0 or 1
    const int main = g.batch_norm(a), other = g.batch_norm(b);
    const int sum = g.add({main, other});
    const Network network = g.classify(same_tensor ? sum : g.add({sum, other}), 3);
    const std::vector<Group> groups = plan_fusion(network);
    const auto joined =
        std::find_if(groups.begin(), groups.end(), [](const Group& group) { return group.add; });
    ASSERT_NE(joined, groups.end());
    EXPECT_THAT(joined->layers, ElementsAre(main, sum));
    EXPECT_THAT(joined->inputs, ElementsAre(a, other));
    EXPECT_EQ(joined->shortcut, -1);
  }
}

TEST(Fusion, JoinsAMaxPoolWithTheBatchNormBeforeIt) {
  const auto groups_with = [](GraphSketch::Window window, LayerKind kind, bool relu) {
    GraphSketch g({2, 8, 8});
    int x = g.batch_norm(g.convolution(GraphSketch::kInput, 4, {1, 1}));  // 1
    if (relu) x = g.simple(Kind::activation, x);                          // 2
    x = g.pool(kind, x, window);                                          // 3, read with a stride
    return plan_fusion(g.classify(g.convolution(x, 4, {1, 1, 2}), 3));
  };
  const std::vector<Group> joined = groups_with({3, 3, 2, 1, 1, 1, 1}, Kind::max_pool, true);
  EXPECT_THAT(joined[1].layers, ElementsAre(1, 2, 3));
  EXPECT_EQ(joined[1].pool, 3);
  EXPECT_EQ(joined[1].stride, 1);
  EXPECT_EQ(groups_with({4, 4, 2}, Kind::max_pool, true)[1].pool, 3);
  EXPECT_EQ(groups_with({5, 4, 2}, Kind::max_pool, true)[1].pool, -1) << "windows overlap more";
  EXPECT_EQ(groups_with({3, 3, 1}, Kind::max_pool, true)[1].pool, -1) << "windows overlap more";
  EXPECT_EQ(groups_with({3, 3, 2}, Kind::average_pool, true)[1].pool, -1);
  EXPECT_EQ(groups_with({3, 3, 2}, Kind::max_pool, false)[1].pool, -1) << "without a ReLU";
}

TEST(Fusion, JoinsTheMeanOfAnImageWithTheAddBeforeIt) {
  const auto pool_of = [](Shape input, GraphSketch::Window window, bool relu) {
    GraphSketch g(input);
    int x = g.add({g.batch_norm(g.convolution(GraphSketch::kInput, input.channels, {1, 1})),
                   GraphSketch::kInput});         // 1, 2
    if (relu) x = g.simple(Kind::activation, x);  // 3
    return plan_fusion(g.classify(g.pool(Kind::average_pool, x, window), 3))[1].pool;
  };
  EXPECT_EQ(pool_of({2, 4, 3}, {4, 3}, true), 4);
  EXPECT_EQ(pool_of({2, 4, 3}, {4, 3}, false), -1) << "without a ReLU";
  EXPECT_EQ(pool_of({2, 4, 3}, {4, 2}, true), -1) << "a part of the image";
  EXPECT_EQ(pool_of({2, 4, 1}, {4, 1}, true), -1) << "a sequence";
}

TEST(Fusion, JoinsEveryBatchNormOfResNet50) {
  const Network network = load_network(Tree::scalar("resnet50"));
  const std::map<std::string, int> counts = count(network);
  EXPECT_EQ(counts.at("batch_norm+add+relu"), 15);  // 3 + 4 + 6 + 3 residual units
  EXPECT_EQ(counts.at("batch_norm+add+relu+pool"), 1);
  EXPECT_EQ(counts.at("batch_norm+relu"), 32);  // two per unit
  EXPECT_EQ(counts.at("batch_norm+relu+pool"), 1);
  EXPECT_EQ(counts.count("batch_norm"), 0u);  // shortcuts are joined with the main path
  EXPECT_EQ(counts.at("convolution"), 53);
  EXPECT_EQ(counts.at("fully_connected"), 1);
  EXPECT_EQ(counts.count("activation") + counts.count("add"), 0u);
}

TEST(Fusion, LeavesNoActivationAloneInVgg16) {
  const std::map<std::string, int> counts = count(load_network(Tree::scalar("vgg16")));
  EXPECT_EQ(counts.at("convolution+relu"), 13);
  EXPECT_EQ(counts.at("fully_connected+relu"), 2);
  EXPECT_EQ(counts.at("fully_connected"), 1);
  EXPECT_EQ(counts.count("activation"), 0u);
}

// Each layer is in one group; a group is a chain with inner tensors that no other layer reads; its
// inputs are computed before it, and its readers after it.
TEST(Fusion, IsSoundForEveryPreset) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(Tree::scalar(name));
    if (!unsupported(network).empty()) continue;
    SCOPED_TRACE(name);
    std::vector<int> readers(network.layers.size(), 0);
    for (const Layer& layer : network.layers) {
      for (const int input : layer.inputs) {
        if (input >= 0) ++readers[static_cast<std::size_t>(input)];
      }
    }
    std::vector<int> seen(network.layers.size(), 0);
    int before = -1;
    for (const Group& group : plan_fusion(network)) {
      EXPECT_LT(before, group.last());
      before = group.last();
      for (const int input : group.inputs) {
        EXPECT_LT(input, group.last());
        EXPECT_TRUE(input < 0 || seen[static_cast<std::size_t>(input)] == 1);
      }
      for (std::size_t k = 0; k < group.layers.size(); ++k) {
        const auto i = static_cast<std::size_t>(group.layers[k]);
        ++seen[i];
        if (group.layers[k] == group.last()) continue;
        EXPECT_EQ(readers[i], 1);
        const bool joins_two = group.shortcut >= 0 && k == 0;
        const std::vector<int>& next =
            network.layers[static_cast<std::size_t>(group.layers[joins_two ? 2 : k + 1])].inputs;
        EXPECT_EQ(std::count(next.begin(), next.end(), group.layers[k]), 1);
      }
    }
    EXPECT_THAT(seen, ::testing::Each(1));
  }
}

}  // namespace
}  // namespace paceline::cuda
