// SPDX-License-Identifier: MIT
// Files of weights: the bytes, the round trip, and one line for each way in which a file is broken.
#include "training/learning/saved_weights.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Network network() {
  return load_network(parse_yaml("test.yaml", "{kind: mlp, inputs: 2, hidden: [], classes: 2}"));
}

/// A file of this header with `floats` numbers 0, 1, ...
std::string file_of(const std::string& header, int floats = 6) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += header;
  for (int i = 0; i < floats; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(sizeof value, '\0');
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  }
  return bytes;
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& type = "F32") {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

const std::string kWeight = entry("fc0.weight", "[2,2]", "[0,16]");
const std::string kBias = entry("fc0.bias", "[2]", "[16,24]");

/// The message about a file, "" if it is a good file of network().
std::string problem(const std::string& bytes) {
  try {
    static_cast<void>(WeightsFile("w", bytes).weights_of(network()));
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
    return error.what();
  }
  return "";
}

TEST(SavedWeightsTest, RoundTripKeepsEveryBit) {
  std::vector<float> weights{1.5F,
                             -0.0F,
                             std::numeric_limits<float>::denorm_min(),
                             std::numeric_limits<float>::infinity(),
                             -1e-30F,
                             std::nanf("7")};
  const std::string bytes = weights_file_text(network(), weights, {{"format", "pt"}});
  const std::vector<float> read = WeightsFile("w", bytes).weights_of(network());
  ASSERT_EQ(read.size(), weights.size());
  EXPECT_EQ(std::memcmp(read.data(), weights.data(), 4 * weights.size()), 0);
  EXPECT_EQ(bytes, weights_file_text(network(), weights, {{"format", "pt"}}));
}

TEST(SavedWeightsTest, AreTheBytesOfTheFormat) {
  const std::vector<float> weights{0, 1, 2, 3, 4, 5};
  std::string header =
      R"({"__metadata__": {"format": "pt"},"fc0.weight": {"dtype": "F32","shape": [2,2],)"
      R"("data_offsets": [0,16]},"fc0.bias": {"dtype": "F32","shape": [2],)"
      R"("data_offsets": [16,24]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(weights_file_text(network(), weights, {{"format", "pt"}}), file_of(header));
}

TEST(SavedWeightsTest, TensorsMayHaveAnyOrder) {
  const std::string bytes = file_of("{" + entry("fc0.bias", "[2]", "[0,8]") + "," +
                                    entry("fc0.weight", "[2,2]", "[8,24]") + "}   ");
  EXPECT_THAT(WeightsFile("w", bytes).weights_of(network()),
              testing::ElementsAre(2, 3, 4, 5, 0, 1));
}

TEST(SavedWeightsTest, BrokenFilesAreOneLine) {
  const std::string good = file_of("{" + kWeight + "," + kBias + "}");
  EXPECT_EQ(problem(good), "");
  EXPECT_EQ(problem(""), "w: error: not a safetensors file: it has 0 bytes");
  EXPECT_THAT(problem("PK\x03\x04 some archive"),
              StartsWith("w: error: not a safetensors file, or cut off: its header has "));
  EXPECT_THAT(problem(good.substr(0, 20)), HasSubstr(", and the file 12 after the length"));
  EXPECT_EQ(problem(good.substr(0, good.size() - 1)),
            "w: error: tensor 'fc0.bias' has bytes 16 to 24, but the file has 23 after its header "
            "(cut off?)");
  EXPECT_EQ(problem(good + '\0'), "w: error: bytes 24 to 25 are of no tensor");
  EXPECT_EQ(problem(file_of("[1]")),
            "w: error: not a safetensors file: its header is not a JSON object");
  EXPECT_EQ(problem(file_of("{" + kWeight + ",")), "w: error: malformed JSON (at byte 67)");
  EXPECT_THAT(problem(file_of("{" + kWeight + "," + kWeight + "}")), HasSubstr("duplicate key"));
  EXPECT_EQ(problem(file_of("{\"a\":" + std::string(100'000, '['))),
            "w: error: the header's JSON is nested too deeply");
  EXPECT_EQ(problem(file_of(std::string((8 << 20) + 1, ' '))),
            "w: error: the header has 8388609 bytes (at most 8388608)");
}

TEST(SavedWeightsTest, TensorsOfAnotherKindAreOneLine) {
  EXPECT_EQ(problem(file_of("{" + entry("fc0.weight", "[2,2]", "[0,8]", "BF16") + "}")),
            "w: error: tensor 'fc0.weight' has the dtype 'BF16' (only F32 can be loaded)");
  EXPECT_EQ(problem(file_of(R"({"a":{"dtype":"F32","shape":[1]}})")),
            "w: error: tensor 'a' lacks one of 'dtype', 'shape' and 'data_offsets'");
  EXPECT_THAT(problem(file_of(R"({"a":3})")), HasSubstr("tensor 'a' lacks one of"));
  for (const char* offsets : {"[8,0]", "[0]", "[0,4,8]", "[-4,0]", "[0,1.5]", "[0,\"4\"]", "7",
                              "[0,18446744073709551615]", "[0,null]", "[0,1e30]"}) {
    EXPECT_THAT(problem(file_of("{" + entry("a", "[1]", offsets) + "}")),
                HasSubstr("has a 'shape' or 'data_offsets' that are no whole numbers in order"))
        << offsets;
  }
  EXPECT_EQ(problem(file_of("{" + entry("a", "[2]", "[0,4]") + "}")),
            "w: error: tensor 'a' has 4 bytes, which is not the size of [2]");
  EXPECT_THAT(problem(file_of("{" + entry("a", "[4294967296,4294967296]", "[0,4]") + "}")),
              HasSubstr("which is not the size of"));
  EXPECT_EQ(
      problem(file_of("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[2]", "[4,12]") + "}")),
      "w: error: tensors 'a' and 'b' overlap");
  EXPECT_EQ(problem(file_of("{" + kWeight + "," + entry("b", "[1]", "[20,24]") + "}")),
            "w: error: bytes 16 to 20 are of no tensor");
}

TEST(SavedWeightsTest, TheFirstTensorThatDoesNotFitIsNamed) {
  EXPECT_EQ(problem(file_of("{" + entry("fc0.weight", "[4]", "[0,16]") + "," + kBias + "}")),
            "w: error: tensor 'fc0.weight' has the shape [4], but in 'mlp' it has [2, 2]");
  EXPECT_EQ(problem(file_of("{" + kWeight + "}", 4)),
            "w: error: no tensor 'fc0.bias' of shape [2], which 'mlp' has");
  EXPECT_EQ(
      problem(file_of("{" + kWeight + "," + kBias + "," + entry("x", "[1]", "[24,28]") + "}", 7)),
      "w: error: 'mlp' has no tensor 'x'");
}

TEST(SavedWeightsTest, AFileThatCannotBeReadIsOneLine) {
  const std::string path = testing::TempDir() + "no-such.safetensors";
  EXPECT_THROW(WeightsFile{path}, SpecError);
  EXPECT_THROW(WeightsFile{testing::TempDir()}, SpecError);
}

}  // namespace
}  // namespace paceline
