// SPDX-License-Identifier: MIT
#include "training/strategies/variable_shards.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

/// A table of 10 parameters, two layers of 20 and 30, and one of 6.
Network network() {
  Network network;
  const auto add = [&](const char* name, LayerKind kind, std::int64_t parameters) {
    Layer& layer = network.layers.emplace_back();
    layer.name = name;
    layer.kind = kind;
    layer.parameters = parameters;
  };
  add("words", LayerKind::embedding, 10);
  add("lstm0", LayerKind::lstm, 20);
  add("drop", LayerKind::dropout, 0);
  add("lstm1", LayerKind::lstm, 30);
  add("out", LayerKind::fully_connected, 6);
  return network;
}

std::vector<std::string> shards(const VariablePlaces& places, ServerPlacement others,
                                int workers = 2, int cpu_shards = 1) {
  const VariableShards placed = place_variables(network(), places, others, workers, cpu_shards, 4);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < placed.slices.size(); ++i) {
    const Slice& slice = placed.slices[i];
    EXPECT_EQ(slice.bytes, 4.0 * static_cast<double>(slice.size()));
    all.push_back(std::to_string(slice.begin) + "-" + std::to_string(slice.end) + " " +
                  Value<ServerPlacement>::write(placed.sites[i].placement).text + " " +
                  std::to_string(placed.sites[i].number));
  }
  return all;
}

using testing::ElementsAre;

TEST(VariableShards, ATableMayBeOnTheCpu) {
  EXPECT_THAT(shards({{"embedding", ServerPlacement::cpu}}, ServerPlacement::gpu),
              ElementsAre("0-10 cpu 0", "10-66 gpu 0"));
  // 56 parameters on two GPUs
  EXPECT_THAT(shards({{"embedding", ServerPlacement::cpu}}, ServerPlacement::sharded_gpus),
              ElementsAre("0-10 cpu 0", "10-38 sharded-gpus 0", "38-66 sharded-gpus 1"));
}

// As ParamServerDeviceSetter of tf_cnn_benchmarks: 10 to GPU 0, 20 to GPU 1, 30 to GPU 0, which
// then has 40, and 6 to GPU 1.
TEST(VariableShards, WholeVariablesGoToTheGpuWithTheFewestParameters) {
  const VariableShards placed =
      place_variables(network(), {}, ServerPlacement::sharded_gpus, 2, 1, 4, Division::by_variable);
  std::vector<std::pair<std::int64_t, int>> ends;
  for (std::size_t i = 0; i < placed.slices.size(); ++i) {
    EXPECT_EQ(placed.slices[i].bytes, 4.0 * static_cast<double>(placed.slices[i].size()));
    ends.emplace_back(placed.slices[i].end, placed.sites[i].number);
  }
  using testing::Pair;
  EXPECT_THAT(ends, ElementsAre(Pair(10, 0), Pair(30, 1), Pair(60, 0), Pair(66, 1)));
  // on one GPU they are one shard
  EXPECT_EQ(
      place_variables(network(), {}, ServerPlacement::sharded_gpus, 1, 1, 4, Division::by_variable)
          .slices.size(),
      1U);
}

// As aggregate_gradients_using_copy_with_device_selection of tf_cnn_benchmarks: tensor i is summed
// on GPU i mod n. Of layers with a weight and a bias, two GPUs leave all weights to the first.
TEST(VariableShards, TensorsAreDealtOutInTurn) {
  Network dealt = network();
  const auto servers = [&](int workers) {
    const VariableShards placed =
        place_variables(dealt, {}, ServerPlacement::sharded_gpus, workers, 1, 4, Division::in_turn);
    std::vector<std::pair<std::int64_t, int>> ends;
    for (std::size_t i = 0; i < placed.slices.size(); ++i)
      ends.emplace_back(placed.slices[i].end, placed.sites[i].number);
    return ends;
  };
  using testing::Pair;
  for (Layer& layer : dealt.layers) layer.tensors = layer.parameters > 0 ? 1 : 0;
  EXPECT_THAT(servers(3), ElementsAre(Pair(10, 0), Pair(30, 1), Pair(60, 2), Pair(66, 0)));
  for (Layer& layer : dealt.layers) layer.tensors *= 2;
  EXPECT_THAT(servers(3), ElementsAre(Pair(10, 0), Pair(30, 2), Pair(60, 1), Pair(66, 0)));
  EXPECT_THAT(servers(2), ElementsAre(Pair(66, 0)));
}

TEST(VariableShards, SpreadVariablesMayBeApart) {
  // 16 parameters before and after those of the GPU, in two servers of 8
  EXPECT_THAT(shards({{"lstm", ServerPlacement::gpu}}, ServerPlacement::cpu, 2, 2),
              ElementsAre("0-8 cpu 0", "8-10 cpu 1", "10-60 gpu 0", "60-66 cpu 1"));
}

TEST(VariableShards, ANameGoesBeforeAKind) {
  EXPECT_THAT(shards({{"lstm", ServerPlacement::gpu}, {"lstm1", ServerPlacement::cpu}},
                     ServerPlacement::cpu),
              ElementsAre("0-10 cpu 0", "10-30 gpu 0", "30-66 cpu 0"));
}

TEST(VariableShards, AKindMayBeNamedAsItsBlock) {
  Network dense;
  Layer& layer = dense.layers.emplace_back();
  layer.name = "fc6";
  layer.kind = LayerKind::fully_connected;
  layer.parameters = 4;
  EXPECT_EQ(unknown_variable(dense, {{"fully-connected", ServerPlacement::gpu}}), "");
  EXPECT_EQ(unknown_variable(dense, {{"fully_connected", ServerPlacement::gpu}}), "");
  EXPECT_EQ(unknown_variable(dense, {{"fully connected", ServerPlacement::gpu}}),
            "fully connected");
  const VariableShards shards = place_variables(dense, {{"fully-connected", ServerPlacement::gpu}},
                                                ServerPlacement::cpu, 1, 1, 4, Division::equal);
  ASSERT_EQ(shards.sites.size(), 1U);
  EXPECT_EQ(shards.sites.front().placement, ServerPlacement::gpu);
}

TEST(VariableShards, OnlyLayersWithParametersAreNamed) {
  EXPECT_EQ(unknown_variable(network(), {{"lstm1", ServerPlacement::cpu}}), "");
  EXPECT_EQ(unknown_variable(network(), {{"drop", ServerPlacement::cpu}}), "drop");
  EXPECT_EQ(unknown_variable(network(), {{"convolution", ServerPlacement::cpu}}), "convolution");
}

}  // namespace
}  // namespace paceline
