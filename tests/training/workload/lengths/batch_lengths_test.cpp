// SPDX-License-Identifier: MIT
#include "training/workload/lengths/batch_lengths.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

BatchLengths lengths_of(const std::string& keys, const LengthScope& scope) {
  Diagnostics diagnostics;
  const auto lengths = read<Lengths>(parse_yaml("l.yaml", "{" + keys + "}"), diagnostics);
  diagnostics.throw_if_any();
  return {lengths, scope};
}

const char* const kTwo =
    "distribution: {kind: table, lengths: [{length: 10, share: 75 %}, {length: 50, share: 25 %}]}";
const char* const kLong = "distribution: {kind: lognormal, mean: 20, cv: 0.7}";

// One bucket, 4 sequences: all are short with the chance (3/4)^4, else one of them is long.
TEST(BatchLengthsTest, TheLongestOfFourByHand) {
  const BatchLengths got = lengths_of(kTwo, {.batch = 4, .positions = 50});
  ASSERT_EQ(got.shapes().size(), 2u);
  const double all_short = std::pow(0.75, 4);
  EXPECT_EQ(got.shapes()[0].length, 10);
  EXPECT_DOUBLE_EQ(got.shapes()[0].chance, all_short);
  EXPECT_EQ(got.shapes()[1].length, 50);
  EXPECT_DOUBLE_EQ(got.shapes()[1].chance, 1 - all_short);
  EXPECT_DOUBLE_EQ(got.mean_words(), 4 * (0.75 * 10 + 0.25 * 50));
  EXPECT_DOUBLE_EQ(got.mean_positions(), 4 * (all_short * 10 + (1 - all_short) * 50));
}

// By words a mini-batch of short sequences has five times as many as one of long ones, so that
// there are 3/5 as many of them as of sentences: 3 x 4 / (3 x 4 + 5 x 4) of all.
TEST(BatchLengthsTest, ByWordsEverySentenceIsDrawnEquallyOften) {
  const BatchLengths got = lengths_of(std::string(kTwo) + ", batch_by: words, buckets: 5",
                                      {.batch = 4, .positions = 50});
  ASSERT_EQ(got.shapes().size(), 2u);
  EXPECT_EQ(got.shapes()[0].items, 20);
  EXPECT_EQ(got.shapes()[1].items, 4);
  EXPECT_DOUBLE_EQ(got.shapes()[0].chance, 0.375);
  EXPECT_DOUBLE_EQ(got.mean_items(), 0.375 * 20 + 0.625 * 4);
  EXPECT_DOUBLE_EQ(got.mean_positions(), 200);
  EXPECT_DOUBLE_EQ(got.mean_words(), 200);  // nothing is padded
}

// Two sequences of 10 or 50 positions have 10, 30 or 50 on average: (3/4)^2, 2 x 3/16, (1/4)^2.
TEST(BatchLengthsTest, WithoutPaddingAMiniBatchHasTheMeanOfItsLengths) {
  const BatchLengths got =
      lengths_of(std::string(kTwo) + ", pad_to: 0", {.batch = 2, .positions = 50});
  std::map<int, double> chances;
  for (const BatchShape& shape : got.shapes()) {
    if (shape.chance > 0) chances[shape.length] = shape.chance;
  }
  EXPECT_EQ(chances, (std::map<int, double>{{10, 0.5625}, {30, 0.375}, {50, 0.0625}}));
  EXPECT_DOUBLE_EQ(got.mean_positions(), got.mean_words());
  std::vector<int> lengths;
  for (std::int64_t step = 0; step < 100; ++step) {
    const DrawnBatch drawn = got.draw(1, 0, step, lengths);
    EXPECT_EQ(got.shapes()[drawn.shape].length, (lengths[0] + lengths[1]) / 2);
    EXPECT_EQ(drawn.words, lengths[0] + lengths[1]);
  }
}

// A mean between two lengths counts for both by its distance: the expectation stays.
TEST(BatchLengthsTest, TheMeanOfManyLengthsHasTheirExpectation) {
  for (const int batch : {3, 8, 37}) {
    const BatchLengths got =
        lengths_of(std::string(kLong) + ", pad_to: 0", {.batch = batch, .positions = 60});
    EXPECT_NEAR(got.mean_positions(), got.mean_words(), 1e-9 * got.mean_words()) << batch;
    double all = 0;
    for (const BatchShape& shape : got.shapes()) all += shape.chance;
    EXPECT_NEAR(all, 1, 1e-12);
  }
}

class DrawnShapesTest : public testing::TestWithParam<std::string> {};

TEST_P(DrawnShapesTest, AreAsFrequentAsTheirChance) {
  const BatchLengths got =
      lengths_of(std::string(kLong) + GetParam(), {.batch = 8, .positions = 60, .workers = 2});
  constexpr int kDraws = 20'000;
  std::vector<double> counts(got.shapes().size());
  std::vector<int> lengths;
  double words = 0;
  for (int step = 0; step < kDraws; ++step) {
    const DrawnBatch drawn = got.draw(3, 1, step, lengths);
    const BatchShape& shape = got.shapes()[drawn.shape];
    ++counts[drawn.shape];
    ASSERT_EQ(lengths.size(), static_cast<std::size_t>(shape.items));
    ASSERT_LE(*std::ranges::max_element(lengths), shape.length);
    ASSERT_GE(*std::ranges::min_element(lengths), 1);
    words += static_cast<double>(drawn.words);
  }
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double chance = got.shapes()[i].chance;
    sum += chance;
    const double deviation = std::sqrt(kDraws * chance * (1 - chance));
    EXPECT_NEAR(counts[i], kDraws * chance, 4.5 * deviation + 0.5) << got.shapes()[i].length;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(words / kDraws, got.mean_words(), 0.02 * got.mean_words());
}

INSTANTIATE_TEST_SUITE_P(Batches, DrawnShapesTest,
                         testing::Values("", ", buckets: 5", ", buckets: 60", ", pad_to: 8",
                                         ", buckets: 5, batch_by: words",
                                         ", buckets: 7, batch_by: words, pad_to: 4",
                                         ", buckets: 5, same_bucket: true"));

TEST(BatchLengthsTest, AsManyBucketsAsPositionsLeaveNoPadding) {
  const BatchLengths got =
      lengths_of(std::string(kLong) + ", buckets: 60", {.batch = 8, .positions = 60});
  std::vector<int> lengths;
  for (int step = 0; step < 200; ++step) {
    const DrawnBatch drawn = got.draw(1, 0, step, lengths);
    EXPECT_EQ(drawn.words, got.shapes()[drawn.shape].positions());
    EXPECT_EQ(std::set(lengths.begin(), lengths.end()).size(), 1u);
  }
}

TEST(BatchLengthsTest, WorkersShareTheBucketWhereTheyAreToAndNotTheLengths) {
  const LengthScope scope{.batch = 8, .positions = 60, .workers = 4};
  const BatchLengths one =
      lengths_of(std::string(kLong) + ", buckets: 60, same_bucket: true", scope);
  const BatchLengths any = lengths_of(std::string(kLong) + ", buckets: 60", scope);
  int differ = 0;
  std::vector<int> a, b;
  for (int step = 0; step < 100; ++step) {
    EXPECT_EQ(one.draw(1, 0, step, a).shape, one.draw(1, 3, step, b).shape);
    differ += any.draw(1, 0, step, a).shape == any.draw(1, 3, step, b).shape ? 0 : 1;
  }
  EXPECT_GT(differ, 80);
  const BatchLengths wide =
      lengths_of(std::string(kLong) + ", buckets: 2, same_bucket: true", scope);
  wide.draw(1, 0, 0, a);
  wide.draw(1, 1, 0, b);
  EXPECT_NE(a, b);
}

TEST(BatchLengthsTest, SortedEpochsGoFromTheShortestToTheLongest) {
  const LengthScope scope{.batch = 8, .positions = 60, .workers = 2, .samples_per_epoch = 1600};
  const BatchLengths got = lengths_of(std::string(kLong) + ", buckets: 60, order: sorted", scope);
  ASSERT_EQ(got.steps_per_epoch(), 100);
  std::vector<int> lengths;
  int before = 0;
  double sum = 0;
  for (int step = 0; step < 100; ++step) {
    for (int worker = 0; worker < 2; ++worker) {
      got.draw(1, worker, step, lengths);
      EXPECT_GE(lengths.front(), before);
      before = lengths.front();
      sum += before;
    }
  }
  EXPECT_NEAR(sum / 200, got.mean_words() / 8, 0.2);
  got.draw(1, 0, 100, lengths);
  const int next = lengths.front();
  got.draw(1, 0, 0, lengths);
  EXPECT_EQ(next, lengths.front());
}

TEST(BatchLengthsTest, LongerSequencesAreCutOff) {
  const BatchLengths got =
      lengths_of("distribution: {kind: lognormal, mean: 40, cv: 1}", {.batch = 1, .positions = 30});
  std::map<int, int> counts;
  std::vector<int> lengths;
  for (int step = 0; step < 1000; ++step) {
    got.draw(1, 0, step, lengths);
    ++counts[lengths.front()];
  }
  EXPECT_EQ(counts.rbegin()->first, 30);
  EXPECT_GT(counts[30], 300);
}

// Every result of a seed depends on these.
TEST(BatchLengthsTest, DrawsArePinned) {
  const BatchLengths got = lengths_of("distribution: {kind: uniform, low: 1, high: 100}",
                                      {.batch = 6, .positions = 100});
  std::vector<int> lengths;
  got.draw(1, 2, 3, lengths);
  EXPECT_THAT(lengths, testing::ElementsAre(36, 35, 72, 81, 54, 18));
}

}  // namespace
}  // namespace paceline
