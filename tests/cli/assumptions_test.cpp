// SPDX-License-Identifier: MIT
// Inputs that a file leaves out. Items that are there cost nothing, so that a prediction without an
// input is right for synthetic items and an upper bound for those of a data set.
#include "cli/assumptions.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// An experiment on a DGX-1, with further keys, or others by `overrides`.
ExperimentFile load(const std::string& rest, const std::vector<std::string>& overrides = {}) {
  return load_experiment_text(
      "input.yaml", "name: input\nmodel: resnet50\nmachine: dgx1-p100\nworkers: 2\n" + rest,
      overrides);
}

std::string finding(const ExperimentFile& file) {
  std::vector<const ExperimentPoint*> points;
  for (const ExperimentPoint& point : file.points) points.push_back(&point);
  return undescribed_input(points);
}

constexpr const char* kSays =
    " ('input' says how items are read and decoded; 'input: synthetic' that they are there).";

TEST(UndescribedInput, EpochsOfADataSetMeanItemsThatArrive) {
  EXPECT_EQ(finding(load("samples_per_epoch: 1281167\n")),
            std::string("Input not described: the prediction is an upper bound") + kSays);
  EXPECT_EQ(finding(load("samples_per_epoch: 1281167\n", {"batch=[32, 64]"})),
            std::string("Input not described: the predictions are upper bounds") + kSays);
}

TEST(UndescribedInput, PointsWithAndWithoutAnInputAreCounted) {
  const std::string decode = "input: {kind: pipeline, decode: {time: 5 ms}}";
  EXPECT_EQ(finding(load("samples_per_epoch: 1281167\n" + decode + "\n")), "");
  const ExperimentFile without = load("samples_per_epoch: 1281167\n");
  const ExperimentFile with = load("samples_per_epoch: 1281167\n" + decode + "\n");
  EXPECT_EQ(undescribed_input({&without.points[0], &with.points[0]}),
            std::string("Input not described at 1 of 2 points: its prediction is an upper bound") +
                kSays);
}

TEST(UndescribedInput, SyntheticItemsAreThere) {
  EXPECT_EQ(finding(load("")), "") << "no data set is meant";
  EXPECT_EQ(finding(load("samples_per_epoch: 1281167\ninput: synthetic\n")), "");
}

TEST(UndescribedInput, ThisComputerTrainsOnItsOwnDraws) {
  EXPECT_EQ(finding(load("samples_per_epoch: 1281167\n", {"machine=ideal"})), "");
}

TEST(InputInWords, AsTheFileWritesIt) {
  EXPECT_EQ(inputs_in_words(load("")), "not described");
  EXPECT_EQ(
      inputs_in_words(load(
          "zip: [{batch: 32, input: synthetic}, {batch: 32, input: {kind: constant, items: 64}}, "
          "{batch: 64, input: synthetic}]\n")),
      "synthetic; {kind: constant, items: 64}");
}

}  // namespace
}  // namespace paceline
