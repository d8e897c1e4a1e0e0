// SPDX-License-Identifier: MIT
#include "training/learning/encoding.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace paceline {
namespace {

using testing::ElementsAre;

const GradientCodec kFp16{GradientCodec::Kind::fp16, 1};
const GradientCodec kOneBit{GradientCodec::Kind::one_bit, 1};
GradientCodec top(float share) {
  return {GradientCodec::Kind::top_k, share};
}

/// Encodes `numbers`; `residual` as in encode().
std::vector<float> words_of(const GradientCodec& codec, const std::vector<float>& numbers,
                            std::vector<float>& residual) {
  const auto size =
      static_cast<std::size_t>(codec.words(static_cast<std::int64_t>(numbers.size())));
  std::vector<float> words(size, std::numeric_limits<float>::quiet_NaN());
  encode(codec, words, numbers, residual);
  return words;
}

std::vector<float> decoded(const GradientCodec& codec, const std::vector<float>& words,
                           std::size_t count) {
  std::vector<float> numbers(count, -77);
  decode(codec, numbers, words, 1, true);
  return numbers;
}

TEST(EncodingTest, SizesAreThoseOfTheFormats) {
  EXPECT_EQ(kFp16.words(8), 4);
  EXPECT_EQ(kFp16.words(9), 5);
  EXPECT_EQ(top(0.01F).words(1000), 20);
  EXPECT_EQ(top(0.01F).words(7), 2);  // one number at least
  EXPECT_EQ(top(1).words(7), 14);
  EXPECT_EQ(kOneBit.words(64), 4);
  EXPECT_EQ(kOneBit.words(65), 5);
}

TEST(EncodingTest, HalvesAreTheNearest) {
  std::vector<float> none;
  // halves near 1 are 2^-10 apart, ties go to the even one; 65520 and more is infinite
  const std::vector<float> numbers{1,      1 + 0x1.8p-11F, 1 + 0x1p-11F, 1 + 0x1.8p-10F,
                                   -65519, 65520,          0x1p-25F};
  EXPECT_THAT(decoded(kFp16, words_of(kFp16, numbers, none), numbers.size()),
              ElementsAre(1, 1 + 0x1p-10F, 1, 1 + 0x1p-9F, -65504,
                          std::numeric_limits<float>::infinity(), 0));
}

TEST(EncodingTest, HalvesAreAddedInPairs) {
  std::vector<float> none;
  std::vector<float> sum = words_of(kFp16, {1, 2048, 3}, none);
  add_halves(sum, words_of(kFp16, {0.5, 1, -3}, none));
  EXPECT_THAT(decoded(kFp16, sum, 3), ElementsAre(1.5, 2048, 0));  // 2049 is no half
}

TEST(EncodingTest, TheGreatestTravelAndTheRestStays) {
  std::vector<float> residual{0, 0, 0, 2, 0};
  const std::vector<float> words = words_of(top(0.4F), {1, -5, 0.5, 2, 3}, residual);
  EXPECT_THAT(decoded(top(0.4F), words, 5), ElementsAre(0, -5, 0, 4, 0));
  EXPECT_THAT(residual, ElementsAre(1, 0, 0.5, 0, 3));
}

TEST(EncodingTest, OfEqualsTheFirstTravel) {
  std::vector<float> residual(4, 0);
  const std::vector<float> words = words_of(top(0.5F), {2, -2, 2, 2}, residual);
  EXPECT_THAT(decoded(top(0.5F), words, 4), ElementsAre(2, -2, 0, 0));
}

TEST(EncodingTest, ANumberThatIsNoneTravelsFirst) {
  std::vector<float> residual(3, 0);
  const std::vector<float> words =
      words_of(top(0.3F), {1, std::numeric_limits<float>::quiet_NaN(), 9}, residual);
  EXPECT_TRUE(std::isnan(decoded(top(0.3F), words, 3)[1]));
}

TEST(EncodingTest, SignsStandForTheirMeans) {
  std::vector<float> residual(4, 0);
  const std::vector<float> words = words_of(kOneBit, {1, 3, -2, 0}, residual);
  EXPECT_THAT(decoded(kOneBit, words, 4),
              ElementsAre(testing::FloatEq(4.0F / 3), testing::FloatEq(4.0F / 3), -2,
                          testing::FloatEq(4.0F / 3)));
  EXPECT_THAT(residual, ElementsAre(testing::FloatEq(-1.0F / 3), testing::FloatEq(5.0F / 3), 0,
                                    testing::FloatEq(-4.0F / 3)));
}

class FeedbackTest : public testing::TestWithParam<GradientCodec> {};

TEST_P(FeedbackTest, OverManyGradientsNothingIsLost) {
  constexpr std::size_t kNumbers = 97;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.1F, 1);
  std::vector<float> residual(kNumbers, 0);
  std::vector<float> sent(kNumbers, 0);
  std::vector<double> given(kNumbers, 0);
  for (int step = 0; step < 200; ++step) {
    std::vector<float> gradient(kNumbers);
    for (std::size_t i = 0; i < kNumbers; ++i) given[i] += gradient[i] = normal(random);
    decode(GetParam(), sent, words_of(GetParam(), gradient, residual), 1, false);
  }
  for (std::size_t i = 0; i < kNumbers; ++i)
    EXPECT_NEAR(sent[i] + residual[i], given[i], 1e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(Codecs, FeedbackTest, testing::Values(top(0.05F), kOneBit));

TEST(EncodingTest, RowsThatAreNotZeroTravel) {
  GradientCodec rows{GradientCodec::Kind::rows};
  rows.width = 3;
  rows.most = 2;
  rows.phase = 1;  // the first row lacks its first number
  EXPECT_EQ(rows.rows_of(7), 3);
  EXPECT_EQ(rows.words(7), 1 + 2 * 4);
  EXPECT_EQ(rows.words(2), 1 + 4);
  std::vector<float> none;
  const std::vector<float> numbers{0, 5, 0, 0, 0, 7, 0};
  const std::vector<float> words = words_of(rows, numbers, none);
  EXPECT_EQ(decoded(rows, words, 7), numbers);
}

TEST(EncodingTest, DecodingAddsByAFactor) {
  std::vector<float> none;
  const std::vector<float> words = words_of(kFp16, {1, -2}, none);
  std::vector<float> sum{10, 10};
  decode(kFp16, sum, words, 0.5F, false);
  EXPECT_THAT(sum, ElementsAre(10.5, 9));
}

}  // namespace
}  // namespace paceline
