// SPDX-License-Identifier: MIT
// Every parameter of every preset is in exactly one tensor, with the name and shape of PyTorch.
#include "models/tensors.hpp"

#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

std::vector<std::string> shown(const Network& network) {
  std::vector<std::string> all;
  for (const NamedTensor& tensor : tensors_of(network)) {
    std::string text = tensor.name + " at " + std::to_string(tensor.offset) + ":";
    for (const std::int64_t size : tensor.shape) text += " " + std::to_string(size);
    all.push_back(text);
  }
  return all;
}

Network read(const std::string& text) {
  return load_network(parse_yaml("test.yaml", text));
}

TEST(TensorsTest, CoverEveryParameterOfEveryModelOnce) {
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(PACELINE_SOURCE_DIR "/models")) {
    if (file.path().extension() != ".yaml") continue;
    SCOPED_TRACE(file.path().stem().string());
    const Network network = load_network(Tree::scalar(file.path().stem().string()));
    ++models;
    std::int64_t next = 0;
    std::set<std::string> names;
    for (const NamedTensor& tensor : tensors_of(network)) {
      EXPECT_EQ(tensor.offset, next) << tensor.name;
      EXPECT_GT(tensor.elements(), 0) << tensor.name;
      EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
      next += tensor.elements();
    }
    EXPECT_EQ(next, network.parameters());
    EXPECT_EQ(static_cast<int>(names.size()), network.tensors());
    // no tensor crosses the border of two layers
    std::map<std::string, std::int64_t> by_layer;
    for (const NamedTensor& tensor : tensors_of(network)) {
      by_layer[tensor.name.substr(0, tensor.name.find('.'))] += tensor.elements();
    }
    for (const Layer& layer : network.layers) {
      const auto own = by_layer.find(layer.name);
      EXPECT_EQ(own == by_layer.end() ? 0 : own->second, layer.parameters) << layer.name;
    }
  }
  EXPECT_GT(models, 30);
}

TEST(TensorsTest, HaveTheNamesAndShapesOfPyTorch) {
  EXPECT_THAT(shown(read("{kind: mlp, inputs: 4, hidden: [8], classes: 3}")),
              ElementsAre("fc0.weight at 0: 8 4", "fc0.bias at 32: 8", "fc1.weight at 40: 3 8",
                          "fc1.bias at 64: 3"));
  EXPECT_THAT(shown(read("{input: {channels: 3, height: 5, width: 7}, classes: 2, blocks: ["
                         "{channels: 4, kernel: 3x1, batch_norm: scale}, classifier]}")),
              ElementsAre("conv0.weight at 0: 4 3 3 1", "bn0.weight at 36: 4", "bn0.bias at 40: 4",
                          "fc1.weight at 44: 2 140", "fc1.bias at 324: 2"));
}

TEST(TensorsTest, OfSequences) {
  const std::vector<std::string> lstm = shown(load_network(Tree::scalar("lstm_imdb")));
  EXPECT_THAT(lstm, testing::Contains(testing::StartsWith("lstm0.weight_hh at ")));
  EXPECT_THAT(lstm, testing::Contains(testing::StartsWith("embedding0.weight at 0: ")));
  const std::vector<std::string> bert = shown(load_network(Tree::scalar("transformer_small")));
  EXPECT_THAT(bert, testing::Contains(testing::StartsWith("position0.weight at ")));
  EXPECT_THAT(bert, testing::Contains(testing::StartsWith("ln0.bias at ")));
}

}  // namespace
}  // namespace paceline
