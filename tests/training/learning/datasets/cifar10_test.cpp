// SPDX-License-Identifier: MIT
// Uses a folder in the format of CIFAR-10 with a few images of made-up pixels.
#include "training/learning/datasets/cifar10.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

constexpr Shape kShape{3, 32, 32};

/// The value at position `at` of image `image`: distinct in every row.
std::uint8_t pixel(std::size_t image, std::size_t at) {
  return static_cast<std::uint8_t>((7 * at + 31 * image + at / 32) % 256);
}

class Cifar10Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("cifar10_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (std::size_t i = 1; i <= 5; ++i) {
      write("data_batch_" + std::to_string(i) + ".bin", {2 * (i - 1), 2 * i - 1});
    }
    write("test_batch.bin", {20, 21, 22});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Image n has label n modulo 10.
  void write(const std::string& name, const std::vector<std::size_t>& images) const {
    std::string bytes;
    for (const std::size_t image : images) {
      bytes += static_cast<char>(image % 10);
      for (std::size_t at = 0; at < Cifar10Images::kPixels; ++at) {
        bytes += static_cast<char>(pixel(image, at));
      }
    }
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  /// The dataset as read from an experiment in the same folder.
  Choice<Dataset> read(const std::string& keys = "") {
    Diagnostics diagnostics;
    Choice<Dataset> dataset;
    const Tree tree =
        parse_yaml((folder_.parent_path() / "e.yaml").string(),
                   "{kind: cifar-10, path: " + folder_.filename().string() + keys + "}");
    Value<Choice<Dataset>>::read(dataset, tree, diagnostics);
    errors_ = join(diagnostics.lines(), "\n");
    return dataset;
  }

  std::filesystem::path folder_;
  std::string errors_;
};

float normalised(std::uint8_t value, std::size_t channel) {
  constexpr double kMean[] = {0.4914, 0.4822, 0.4465}, kDeviation[] = {0.2470, 0.2435, 0.2616};
  return static_cast<float>((value / 255.0 - kMean[channel]) / kDeviation[channel]);
}

TEST_F(Cifar10Files, HoldTheTestImagesOutInTheirOrder) {
  const Choice<Dataset> dataset = read();
  ASSERT_TRUE(dataset) << errors_;
  const DrawnItems block = draw_held_out(*dataset, kShape, 10, 2, 1, 0);
  EXPECT_THAT(block.targets, testing::ElementsAre(0, 1));
  for (const std::size_t at : {0u, 31u, 1023u, 1024u, 2048u, 3071u}) {
    EXPECT_NEAR(block.inputs[3072 + at], normalised(pixel(21, at), at / 1024), 1e-5f) << at;
  }
  // The next block continues, and the first image follows the last.
  EXPECT_THAT(draw_held_out(*dataset, kShape, 10, 2, 9, 1).targets, testing::ElementsAre(2, 0));
}

TEST_F(Cifar10Files, AreDrawnEquallyOften) {
  const Choice<Dataset> dataset = read();
  std::vector<int> counts(10);
  const DrawnItems drawn = draw(*dataset, kShape, 10, 5000, 1, 0, 0);
  for (std::size_t i = 0; i < 5000; ++i) {
    const auto label = static_cast<std::size_t>(drawn.targets[i]);  // one image per label
    ++counts.at(label);
    ASSERT_NEAR(drawn.inputs[i * 3072 + 5], normalised(pixel(label, 5), 0), 1e-5f);
  }
  for (const int count : counts) EXPECT_NEAR(count, 500, 90);  // four standard deviations
  EXPECT_EQ(draw(*dataset, kShape, 10, 5000, 1, 0, 0), drawn);
  EXPECT_NE(draw(*dataset, kShape, 10, 5000, 1, 1, 0), drawn);
}

TEST_F(Cifar10Files, AreMirroredHalfOfTheTime) {
  const Choice<Dataset> dataset = read(", flip: true");
  const DrawnItems drawn = draw(*dataset, kShape, 10, 1000, 1, 0, 0);
  int mirrored = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto image = static_cast<std::size_t>(drawn.targets[i]);
    const float first = drawn.inputs[i * 3072 + 2048];  // the last channel's first pixel
    const bool flipped = std::abs(first - normalised(pixel(image, 2048 + 31), 2)) < 1e-5f;
    EXPECT_NEAR(first, normalised(pixel(image, flipped ? 2048 + 31 : 2048), 2), 1e-5f);
    mirrored += flipped ? 1 : 0;
  }
  EXPECT_NEAR(mirrored, 500, 64);
}

TEST_F(Cifar10Files, AreReadOnceForAll) {
  const auto one = Cifar10Images::load(folder_.string());
  EXPECT_EQ(Cifar10Images::load(folder_.string()), one);
  EXPECT_EQ(one->train.size(), 10 * Cifar10Images::kRecord);
  EXPECT_EQ(one->test.size(), 3 * Cifar10Images::kRecord);
}

TEST_F(Cifar10Files, FitNetworksOfTheirShapeAlone) {
  const Choice<Dataset> dataset = read();
  EXPECT_EQ(dataset->unfit(load_network(Tree::scalar("cifar10_resnet20"))), "");
  EXPECT_EQ(dataset->unfit(load_network(Tree::scalar("softmax"))),
            "its items are 3x32x32 of 10 classes, but the network takes 32x1x1 of 10");
  EXPECT_THAT(dataset->unfit(load_network(Tree::scalar("linear"))), HasSubstr("softmax"));
}

TEST_F(Cifar10Files, ThatAreMissingAreNamed) {
  std::filesystem::remove(folder_ / "data_batch_3.bin");
  EXPECT_FALSE(read());
  EXPECT_THAT(errors_, HasSubstr("e.yaml:1:24: error: cannot read '"));
  EXPECT_THAT(errors_, HasSubstr("data_batch_3.bin' (CIFAR-10's binary version has "
                                 "data_batch_1.bin to data_batch_5.bin and test_batch.bin)"));
  std::filesystem::remove_all(folder_);
  EXPECT_FALSE(read());
  EXPECT_THAT(errors_, HasSubstr("is not a folder (expected that of CIFAR-10's binary version)"));
}

TEST_F(Cifar10Files, OfTheWrongSizeAreRefused) {
  std::ofstream(folder_ / "test_batch.bin", std::ios::binary) << std::string(3074, '\0');
  EXPECT_FALSE(read());
  EXPECT_THAT(errors_, HasSubstr("test_batch.bin' has 3074 bytes (1 to 10000 records of 3073 "
                                 "bytes)"));
  std::ofstream(folder_ / "test_batch.bin", std::ios::binary) << "";
  EXPECT_FALSE(read());
  EXPECT_THAT(errors_, HasSubstr("test_batch.bin' has 0 bytes"));
}

TEST_F(Cifar10Files, WithOtherLabelsAreRefused) {
  std::string record(2 * 3073, '\0');
  record[3073] = 10;
  std::ofstream(folder_ / "data_batch_2.bin", std::ios::binary) << record;
  EXPECT_FALSE(read());
  EXPECT_THAT(errors_, HasSubstr("data_batch_2.bin' has label 10 in record 1 (labels are 0 to 9)"));
}

}  // namespace
}  // namespace paceline
