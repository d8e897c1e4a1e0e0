// SPDX-License-Identifier: MIT
#include "experiments/language/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

/// The swept keys of each point as "path=value ...".
std::vector<std::string> swept(const std::string& yaml, const ListKeys& lists = {}) {
  std::vector<std::string> points;
  for (const PointTree& point : expand(parse_yaml("t", yaml), lists)) {
    std::string text;
    for (const SweptKey& key : point.swept) {
      text += (text.empty() ? "" : " ") + key.path + "=" + key.value;
    }
    points.push_back(text);
  }
  return points;
}

std::vector<std::string> trees(const std::string& yaml, const ListKeys& lists = {}) {
  std::vector<std::string> points;
  for (const PointTree& point : expand(parse_yaml("t", yaml), lists)) {
    points.push_back(to_flow(point.tree));
  }
  return points;
}

std::string problem(const std::string& yaml) {
  try {
    expand(parse_yaml("t", yaml), {});
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

const ListKeys& sample_lists() {
  static const ListKeys lists(keys_of<sample::Spec>());
  return lists;
}

std::string numbers(int from, int to) {
  std::string list;
  for (int i = from; i <= to; ++i) list += (list.empty() ? "[" : ", ") + std::to_string(i);
  return list + "]";
}

TEST(Expand, ADocumentWithoutListsIsOnePoint) {
  EXPECT_THAT(trees("{a: 1, b: {c: 2}}"), ElementsAre("{a: 1, b: {c: 2}}"));
  EXPECT_THAT(swept("{a: 1, b: {c: 2}}"), ElementsAre(""));
  EXPECT_THAT(trees("text"), ElementsAre("text"));
}

TEST(Expand, TheFirstKeyVariesSlowest) {
  EXPECT_THAT(swept("{b: [1, 2], c: 0, a: [x, y]}"),
              ElementsAre("b=1 a=x", "b=1 a=y", "b=2 a=x", "b=2 a=y"));
  EXPECT_THAT(trees("{b: [1, 2], c: 0, a: [x, y]}"),
              ElementsAre("{b: 1, c: 0, a: x}", "{b: 1, c: 0, a: y}", "{b: 2, c: 0, a: x}",
                          "{b: 2, c: 0, a: y}"));
}

TEST(Expand, AListOfOneIsASweepToo) {
  EXPECT_THAT(swept("{a: [1]}"), ElementsAre("a=1"));
}

// A list pasted twice is one mistake.
TEST(Expand, RepeatedValuesAreOneError) {
  const auto error_of = [](const std::string& yaml) {
    try {
      expand(parse_yaml("t", yaml), {});
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("{a: [1, 2, 1]}"),
            "t:1:12: error: the sweep of 'a' has '1' twice (a list gives one point per value)");
  EXPECT_EQ(error_of("{a: [1, 2, 3, 1, 2, 3, 1]}"),
            "t:1:15: error: the sweep of 'a' has '1' twice, and 2 other values too (a list gives "
            "one point per value)");
}

TEST(Expand, NestedKeysHaveDottedPaths) {
  EXPECT_THAT(
      swept("{s: {compute: {kind: e, mean: [1 s, 2 s]}}, w: {3: {slowdown: [1, 2]}}}"),
      ElementsAre("s.compute.mean=1 s w.3.slowdown=1", "s.compute.mean=1 s w.3.slowdown=2",
                  "s.compute.mean=2 s w.3.slowdown=1", "s.compute.mean=2 s w.3.slowdown=2"));
}

TEST(Expand, SweepsInsideTheVariantsOfASweepAreMultipliedOut) {
  EXPECT_THAT(swept("{u: [sync, {kind: k-async, k: [2, 4]}, {kind: x, y: [1, 2], z: [3, 4]}]}"),
              ElementsAre("u=sync", "u={kind: k-async, k: 2}", "u={kind: k-async, k: 4}",
                          "u={kind: x, y: 1, z: 3}", "u={kind: x, y: 1, z: 4}",
                          "u={kind: x, y: 2, z: 3}", "u={kind: x, y: 2, z: 4}"));
}

TEST(Expand, PlacesStayThoseOfTheFile) {
  const auto points = expand(parse_yaml("t", "a: 1\nb: [2, 3]\n"), {});
  EXPECT_EQ(to_string(points[1].tree.find("b")->at), "t:2:8");
}

TEST(Expand, AKeyThatTakesAListIsSweptByAListOfLists) {
  EXPECT_THAT(swept("{milestones: [30, 60]}", sample_lists()), ElementsAre(""));
  EXPECT_THAT(swept("{milestones: []}", sample_lists()), ElementsAre(""));
  EXPECT_THAT(swept("{milestones: [[30, 60], [1], []]}", sample_lists()),
              ElementsAre("milestones=[30, 60]", "milestones=[1]", "milestones=[]"));
  EXPECT_THAT(
      swept("{stragglers: {compute: {kind: mixture, parts: [none, none], weights: [[1, 2], "
            "[3, 4]]}}}",
            sample_lists()),
      ElementsAre("stragglers.compute.weights=[1, 2]", "stragglers.compute.weights=[3, 4]"));
}

TEST(Expand, AListInsideAListedPartIsASweep) {
  EXPECT_THAT(
      swept("{stragglers: {compute: {kind: mixture, parts: [none, {kind: exponential, mean: "
            "[1 s, 2 s]}], weights: [1, 1]}}}",
            sample_lists()),
      ElementsAre("stragglers.compute.parts.1.mean=1 s", "stragglers.compute.parts.1.mean=2 s"));
}

TEST(Expand, AListOfListsForOneValueIsLeftToTheReader) {
  EXPECT_THAT(swept("{a: [1, [2, 3]]}"), ElementsAre("a=1", "a=[2, 3]"));
}

TEST(Expand, ASweptKindKeepsItsListKeys) {
  EXPECT_THAT(
      swept("{stragglers: {compute: {kind: [mixture, none], parts: [none]}}}", sample_lists()),
      ElementsAre("stragglers.compute.kind=mixture", "stragglers.compute.kind=none"));
}

TEST(Expand, AListKeyOfAMapWithoutAKindIsNoSweep) {
  EXPECT_THAT(swept("{stragglers: {compute: {parts: [none, none]}}}", sample_lists()),
              ElementsAre(""));
}

TEST(Zip, MergesItsRowsAndCrossesTheRest) {
  EXPECT_THAT(
      swept("{w: [1, 2], zip: [{model: alexnet, batch: 512}, {batch: 64, model: vgg16}], s: "
            "[a, b]}"),
      ElementsAre("w=1 model=alexnet batch=512 s=a", "w=1 model=alexnet batch=512 s=b",
                  "w=1 model=vgg16 batch=64 s=a", "w=1 model=vgg16 batch=64 s=b",
                  "w=2 model=alexnet batch=512 s=a", "w=2 model=alexnet batch=512 s=b",
                  "w=2 model=vgg16 batch=64 s=a", "w=2 model=vgg16 batch=64 s=b"));
}

TEST(Zip, LeavesNoTraceInThePoint) {
  EXPECT_THAT(trees("{batch: 1, zip: [{model: m, batch: 2, s: {x: 3}}], s: {y: 4}}"),
              ElementsAre("{batch: 2, s: {y: 4, x: 3}, model: m}"));
}

TEST(Zip, RowsMayNestAndSweep) {
  EXPECT_THAT(swept("{u: {kind: k-async, k: 1}, zip: [{u: {k: [2, 3]}}, {u: {k: 4}}]}"),
              ElementsAre("u.k=2", "u.k=3", "u.k=4"));
  EXPECT_THAT(trees("{u: k-async, zip: [{u: {k: [2, 3]}}, {u: {k: 4}}]}"),
              ElementsAre("{u: {kind: k-async, k: 2}}", "{u: {kind: k-async, k: 3}}",
                          "{u: {kind: k-async, k: 4}}"));
  EXPECT_THAT(swept("{zip: [{u: {kind: k-async, k: 2}}, {u: sync}]}"),
              ElementsAre("u={kind: k-async, k: 2}", "u=sync"));
}

TEST(Zip, ARowIsNotAListOfLists) {
  EXPECT_THAT(swept("{zip: [{milestones: [1, 2]}, {milestones: [3]}]}", sample_lists()),
              ElementsAre("milestones=[1, 2]", "milestones=[3]"));
}

TEST(Zip, BelowTheTopItIsAKeyLikeAnother) {
  EXPECT_THAT(swept("{a: {zip: [1, 2]}}"), ElementsAre("a.zip=1", "a.zip=2"));
}

TEST(Expand, CollectsEveryMistake) {
  EXPECT_EQ(
      problem("{a: [], b: [1, {c: []}], zip: [{x: 1}, {y: 1}]}"),
      "t:1:5: error: the sweep of 'a' is empty (write at least one value)\n"
      "t:1:20: error: the sweep of 'c' is empty (write at least one value)\n"
      "t:1:40: error: this row of 'zip' sets y (every row must set the keys of the first: x)");
}

TEST(Expand, TooManyPointsAreCountedNotBuilt) {
  std::string yaml = "a: " + numbers(1, 1000) + "\nb: " + numbers(1, 101) + "\n";
  EXPECT_EQ(problem(yaml), "t:1:1: error: the sweep has 101000 points (at most 100000)");
  EXPECT_EQ(count_points(parse_yaml("t", yaml), {}), 101'000U);
  for (int i = 0; i < 100; ++i) yaml += "k" + std::to_string(i) + ": " + numbers(1, 1000) + "\n";
  EXPECT_EQ(problem(yaml), "t:1:1: error: the sweep has more than 10^15 points (at most 100000)");
  EXPECT_EQ(count_points(parse_yaml("t", yaml), {}), std::uint64_t{1} << 63);
}

TEST(Expand, ManyPointsOfAWideDocumentAreRefused) {
  std::string yaml = "a: " + numbers(1, 10'000) + "\n";
  for (int i = 0; i < 1000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(
      problem(yaml),
      "t:1:1: error: the sweep has 10000 points of 1003 values (at most 5000000 values in all)");
  yaml = "a: " + numbers(1, 10'000) + "\nb: " + std::string(1'000'000, 'x');
  EXPECT_NE(problem(yaml), "");
}

TEST(Expand, TheLargestSweepIsExpanded) {
  const auto points =
      expand(parse_yaml("t", "a: " + numbers(1, 1000) + "\nb: " + numbers(1, 100)), {});
  EXPECT_EQ(points.size(), 100'000U);
  EXPECT_EQ(points.back().swept.front().value, "1000");
}

}  // namespace
}  // namespace paceline
