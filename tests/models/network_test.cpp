// SPDX-License-Identifier: MIT
// Every preset against independent counts, and the shape rules on which executors rely.
#include "models/network.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "tests/models/csv_rows.hpp"

namespace paceline {
namespace {

using test::CsvRow;
using test::read_csv;

Network preset(const std::string& name) {
  return load_network(Tree::scalar(name));
}

TEST(NetworkTest, CountsEqualThoseOfTheOriginalCode) {
  const auto rows = read_csv(PACELINE_SOURCE_DIR "/tests/models/networks.csv");
  ASSERT_EQ(rows.size(), 17u);
  for (const CsvRow& row : rows) {
    SCOPED_TRACE(row.at("model"));
    const Network network = preset(row.at("model"));
    EXPECT_EQ(network.parameters(), std::stoll(row.at("parameters")));
    EXPECT_EQ(network.tensors(), std::stoi(row.at("tensors")));
    EXPECT_EQ(network.macs(), std::stoll(row.at("macs")));
  }
}

/// The reference table's name of a layer, such as "conv3x3/1".
std::string reference_kind(const Layer& layer) {
  using enum LayerKind;
  switch (layer.kind) {
    case convolution:
      return "conv" + std::to_string(layer.kernel_height) + "x" +
             std::to_string(layer.kernel_width) + "/" + std::to_string(layer.stride);
    case fully_connected:
      return "fc";
    case batch_norm:
      return "batchnorm";
    case max_pool:
    case average_pool:
      return "pool";
    case local_response_norm:
      return "lrn";
    case add:
      return "add";
    case concat:
      return "concat";
    default:
      return "";
  }
}

std::string hwc(const Shape& shape) {
  return std::to_string(shape.height) + "x" + std::to_string(shape.width) + "x" +
         std::to_string(shape.channels);
}

/// The layers that the reference table lists: all except ReLU, dropout, softmax and the layers of
/// parameter-free shortcuts.
std::vector<Layer> listed_layers(const Network& network) {
  std::vector<Layer> layers;
  for (const Layer& layer : network.layers) {
    const bool shortcut = layer.kind == LayerKind::average_pool && layer.kernel_height == 1;
    if (!shortcut && !reference_kind(layer).empty()) layers.push_back(layer);
  }
  return layers;
}

// GoogLeNet: 6,998,552 parameters with 1,000 classes (bvlc_googlenet of Caffe, without auxiliary
// classifiers). ResNet-50 v1.5: as torchvision's documentation counts it.
TEST(NetworkTest, CountsOfFurtherNetworks) {
  const Network googlenet = preset("googlenet");
  EXPECT_EQ(googlenet.parameters(), 6998552 + 1025);
  EXPECT_EQ(googlenet.tensors(), 2 * 58);
  EXPECT_NEAR(static_cast<double>(googlenet.macs()), 1.58e9, 0.01e9);
  const Network resnet = preset("resnet50_v15");
  EXPECT_EQ(resnet.parameters(), 25557032);
  EXPECT_EQ(resnet.tensors(), 161);
  EXPECT_NEAR(static_cast<double>(resnet.macs()), 4.089e9, 0.001e9);
}

// torchvision's documentation: 11,689,512 and 21,797,672 parameters, 1.81 and 3.66 G
// multiplications. Tensors: 20 and 36 convolutions, each with a batch norm of two, and the
// classifier's two.
TEST(NetworkTest, CountsOfTheBasicResNets) {
  const Network small = preset("resnet18");
  EXPECT_EQ(small.parameters(), 11689512);
  EXPECT_EQ(small.tensors(), 3 * 20 + 2);
  EXPECT_NEAR(static_cast<double>(small.macs()), 1.814e9, 0.001e9);
  const Network large = preset("resnet34");
  EXPECT_EQ(large.parameters(), 21797672);
  EXPECT_EQ(large.tensors(), 3 * 36 + 2);
  EXPECT_NEAR(static_cast<double>(large.macs()), 3.664e9, 0.001e9);
}

TEST(NetworkTest, LayersEqualThoseOfTheReferenceTable) {
  const auto all = read_csv(PACELINE_SOURCE_DIR "/tests/models/layers.csv.gz");
  ASSERT_EQ(all.size(), 2674u);
  std::map<std::string, std::vector<CsvRow>> tables;
  for (const CsvRow& row : all) tables[row.at("model")].push_back(row);
  for (const CsvRow& golden : read_csv(PACELINE_SOURCE_DIR "/tests/models/networks.csv")) {
    const std::vector<CsvRow>& rows = tables[golden.at("model")];
    const std::vector<Layer> layers = listed_layers(preset(golden.at("model")));
    ASSERT_EQ(layers.size(), rows.size()) << golden.at("model");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SCOPED_TRACE(golden.at("model") + " " + layers[i].name);
      const std::string kind = rows[i].at("kind");
      const bool pool = kind.find("pool") != std::string::npos;
      EXPECT_EQ(reference_kind(layers[i]), pool ? "pool" : kind);
      EXPECT_EQ(hwc(layers[i].out), rows[i].at("output_shape_hwc"));
      EXPECT_EQ(layers[i].parameters, std::stoll(rows[i].at("params")));
      EXPECT_EQ(layers[i].tensors, std::stoi(rows[i].at("n_weight_tensors")));
      EXPECT_EQ(layers[i].macs, std::stoll(rows[i].at("forward_macs_per_sample")));
      if (layers[i].macs > 0) {
        EXPECT_EQ(layers[i].name, rows[i].at("layer"));
      }
    }
  }
}

/// Checks a layer against its input layers.
void expect_chained(const Network& network, std::size_t index) {
  const Layer& layer = network.layers[index];
  ASSERT_FALSE(layer.inputs.empty());
  std::vector<Shape> inputs;
  for (const int input : layer.inputs) {
    ASSERT_GE(input, -1);
    ASSERT_LT(input, static_cast<int>(index)) << "reads what is not computed yet";
    inputs.push_back(input < 0 ? network.input
                               : network.layers[static_cast<std::size_t>(input)].out);
  }
  EXPECT_EQ(layer.in, inputs.front());
  int channels = 0;
  for (const Shape& input : inputs) {
    channels += input.channels;
    if (layer.kind == LayerKind::add) {
      EXPECT_EQ(input, layer.out);
    }
    if (layer.kind == LayerKind::concat) {
      EXPECT_EQ(input.height, layer.out.height);
      EXPECT_EQ(input.width, layer.out.width);
    }
  }
  if (layer.kind == LayerKind::concat) {
    EXPECT_EQ(channels, layer.out.channels);
  }
  if (layer.kind != LayerKind::add && layer.kind != LayerKind::concat) {
    EXPECT_EQ(inputs.size(), 1u);
  }
}

/// The output size must follow from window, stride and padding by the formula common to all
/// libraries.
void expect_window(const Layer& layer) {
  using enum LayerKind;
  if (layer.kind != convolution && layer.kind != max_pool && layer.kind != average_pool) return;
  const int rows = layer.in.height + layer.pad_top + layer.pad_bottom - layer.kernel_height;
  const int columns = layer.in.width + layer.pad_left + layer.pad_right - layer.kernel_width;
  EXPECT_EQ(layer.out.height, rows / layer.stride + 1);
  EXPECT_EQ(layer.out.width, columns / layer.stride + 1);
  EXPECT_LT(std::max(layer.pad_top, layer.pad_bottom), layer.kernel_height);
  EXPECT_LT(std::max(layer.pad_left, layer.pad_right), layer.kernel_width);
}

class PresetTest : public testing::TestWithParam<std::string> {};

TEST_P(PresetTest, LayersFollowFromThoseTheyRead) {
  const Network network = preset(GetParam());
  EXPECT_EQ(network.name, GetParam());
  ASSERT_FALSE(network.layers.empty());
  std::set<std::string> names;
  std::set<int> read{-1};
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    SCOPED_TRACE(network.layers[i].name);
    expect_chained(network, i);
    expect_window(network.layers[i]);
    EXPECT_TRUE(names.insert(network.layers[i].name).second) << "two layers of one name";
    read.insert(network.layers[i].inputs.begin(), network.layers[i].inputs.end());
  }
  EXPECT_EQ(read.size(), network.layers.size()) << "a layer that nobody reads";
  if (network.classes > 0) {
    const bool predicts = network.classes == 1;
    EXPECT_EQ(network.layers.back().kind, predicts ? LayerKind::squared_error : LayerKind::softmax);
    Shape scored = network.layers[network.layers.size() - 2].in;  // an item, or each position
    scored.channels = network.classes;
    if (network.layers[network.layers.size() - 2].kind == LayerKind::fully_connected)
      scored.height = scored.width = 1;
    EXPECT_EQ(network.layers.back().out, scored);
  }
}

TEST_P(PresetTest, SaysWhatItIs) {
  for (const NetworkHelp& help : network_helps()) {
    if (help.name == GetParam()) {
      EXPECT_THAT(help.help, testing::SizeIs(testing::Gt(10u)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, PresetTest, testing::ValuesIn(network_names()),
                         [](const auto& tested) { return tested.param; });

TEST(NetworkTest, OffsetsAreTheFlatLayout) {
  const Network mlp = preset("mlp");
  const auto offsets = mlp.parameter_offsets();
  ASSERT_EQ(offsets.size(), 6u);
  EXPECT_THAT(offsets, testing::ElementsAre(0, 8448, 8448, 74240, 74240, 76810));
}

TEST(NetworkTest, FlopsAreTwiceTheMacsAndBackwardTwiceForward) {
  const Network mlp = preset("mlp");
  EXPECT_EQ(mlp.layers[0].forward_flops(), Flops{2.0 * 32 * 256});
  EXPECT_EQ(mlp.layers[0].backward_flops(), Flops{4.0 * 32 * 256});
  EXPECT_EQ(mlp.layers[1].forward_flops(), Flops{512.0}) << "ReLU reads and writes 256 elements";
  EXPECT_EQ(mlp.layers[1].backward_flops(), Flops{512.0});
}

// The table has 10,000 x 128 weights; the gates 4 x 128 of 128 features, 128 outputs and a bias;
// the last layer maps 128 to 2 classes.
TEST(NetworkTest, SequenceClassifierByHand) {
  const Network network = preset("lstm_imdb");
  EXPECT_EQ(network.item, "sequences");
  EXPECT_EQ(network.vocabulary(), 10'000);
  ASSERT_EQ(network.layers.size(), 6u);
  const Layer& table = network.layers[0];
  EXPECT_EQ(table.name, "embedding0");
  EXPECT_EQ(table.out, (Shape{128, 100, 1}));
  EXPECT_EQ(table.parameters, 1'280'000);
  EXPECT_EQ(table.tensors, 1);
  EXPECT_EQ(table.macs, 0);
  const Layer& lstm = network.layers[1];
  EXPECT_EQ(lstm.name, "lstm0");
  EXPECT_EQ(lstm.out, (Shape{128, 100, 1}));
  EXPECT_EQ(lstm.parameters, 4 * 128 * 128 + 4 * 128 * 128 + 4 * 128);
  EXPECT_EQ(lstm.tensors, 3);
  EXPECT_EQ(lstm.macs, 100 * (4 * 128 * 128 + 4 * 128 * 128));
  const Layer& mean = network.layers[2];
  EXPECT_EQ(mean.kernel_height, 100);
  EXPECT_EQ(mean.out, (Shape{128, 1, 1}));
  EXPECT_EQ(network.parameters(), 1'280'000 + 131'584 + 258);
}

// Parameters: 10,000 x 650 in the table, 4 x 650 x 1301 in each LSTM, 651 x 10,000 in the output
// layer.
TEST(NetworkTest, MediumLanguageModelByHand) {
  const Network network = preset("lstm_ptb_medium");
  EXPECT_EQ(network.parameters(), 19'775'200);
  EXPECT_EQ(network.tensors(), 1 + 3 + 3 + 2);
  EXPECT_EQ(network.macs(), 2 * 35 * 4 * 650 * (650 + 650) + 650 * 10'000);
}

TEST(NetworkTest, Gpt2ByHand) {
  const Network network = preset("gpt2");
  EXPECT_EQ(network.parameters(), 124'439'808);  // as in Hugging Face's gpt2
  const std::int64_t layer =
      std::int64_t{1024} * (4 + 8) * 768 * 768 + 2 * std::int64_t{1024} * 1024 * 768;
  EXPECT_EQ(network.macs(), 12 * layer + std::int64_t{1024} * 768 * 50'257);
  const Layer& output = network.layers[network.layers.size() - 2];
  EXPECT_EQ(output.parameters, 0) << "they are the embedding's";
  EXPECT_EQ(output.weights(), 768 * 50'257);
  EXPECT_TRUE(std::ranges::any_of(network.layers, &Layer::causal));
}

TEST(NetworkTest, BertByHand) {
  const std::int64_t layer = 12 * 768 * 768 + (3 + 1 + 4 + 1) * 768 + 4 * 768;
  const std::int64_t tables = (30'522 + 128) * 768, head = 768 * 768 + 768;
  EXPECT_EQ(preset("bert_base").parameters(), tables + 12 * layer + head + 2 * 2 * 768);
  EXPECT_EQ(preset("bert_large").parameters() + (512 - 128) * 1024,
            preset("bert_large_512").parameters());
}

TEST(NetworkTest, TranslationByLstmsByHand) {
  const Network network = preset("nmt_lstm_100");
  // three tables of 50,000 words, eight LSTM layers, and the output's bias
  EXPECT_EQ(network.parameters(), 93'593'600 + 50'000);
  EXPECT_EQ(network.macs(), 8 * 209'715'200LL + 2'560'000'000LL);
  EXPECT_EQ(preset("nmt_lstm_cudnn").macs(), network.macs());
  const auto loops = [](const Network& of) {
    return std::ranges::count_if(of.layers,
                                 [](const Layer& one) { return one.loop_operations > 0; });
  };
  EXPECT_EQ(loops(network), 8);
  EXPECT_EQ(loops(preset("nmt_lstm_cudnn")), 0);
  EXPECT_EQ(preset("nmt_lstm").layers[1].loop_operations, 45 * 50);
}

TEST(NetworkTest, SpeechNetworkByHand) {
  EXPECT_EQ(preset("speech_dnn").parameters(),
            441 * 2560 + 3 * 2561 * 2560 + 2561 * std::int64_t{8192});
}

TEST(NetworkTest, TransformersRefuseWhatDoesNotFit) {
  const auto complaint = [](const std::string& blocks) {
    try {
      load_network(parse_yaml(
          "m.yaml", "{input: {channels: 6, height: 4}, classes: 3, blocks: [" + blocks + "]}"));
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_THAT(complaint("{kind: transformer, heads: 4}, classifier"),
              HasSubstr("18 channels are not queries, keys and values of 4 equal heads"));
  EXPECT_THAT(complaint("{kind: classifier, each: position, tied: true}"),
              HasSubstr("a tied layer shares the table of an embedding, and none is before"));
  EXPECT_THAT(complaint("{kind: classifier, tied: true}"),
              HasSubstr("a tied classifier of an item reads a vector"));
  EXPECT_THAT(complaint("{kind: first-positions, count: 5}, classifier"),
              HasSubstr("a sequence of 6x4x1 has no 5 positions of width 1"));
  EXPECT_EQ(complaint("{kind: transformer, heads: 3, inner: 5}, classifier"), "");
}

TEST(NetworkTest, OnlyNetworksWithAnEmbeddingReadTokens) {
  EXPECT_EQ(preset("mlp").vocabulary(), 0);
  EXPECT_EQ(preset("resnet50").vocabulary(), 0);
}

// ResNet-20's first shortcut with a change of shape: every second pixel, then 8 zero channels on
// either side.
TEST(NetworkTest, ShortcutWithoutWeights) {
  const Network network = preset("cifar10_resnet20");
  const auto pad = std::find_if(network.layers.begin(), network.layers.end(),
                                [](const Layer& l) { return l.kind == LayerKind::pad; });
  ASSERT_NE(pad, network.layers.end());
  EXPECT_EQ(pad->in, (Shape{16, 16, 16}));
  EXPECT_EQ(pad->out, (Shape{32, 16, 16}));
  const Layer& pool = *std::prev(pad);
  EXPECT_EQ(pool.kind, LayerKind::average_pool);
  EXPECT_EQ(pool.kernel_height, 1);
  EXPECT_EQ(pool.stride, 2);
}

}  // namespace
}  // namespace paceline
