// SPDX-License-Identifier: MIT
#include "experiments/language/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;

Location at(const char* file, int line, int column) {
  return {std::make_shared<const std::string>(file), line, column};
}

TEST(Location, PrintsAsCompilersDo) {
  EXPECT_EQ(to_string(at("a.yaml", 3, 9)), "a.yaml:3:9");
  EXPECT_EQ(to_string(at("a.yaml", 0, 0)), "a.yaml");
  EXPECT_EQ(to_string(Location{}), "input");
}

TEST(Diagnostics, KeepsTheOrderOfPlacesFileByFile) {
  Diagnostics diagnostics;
  diagnostics.error(at("b.yaml", 7, 1), "late");
  diagnostics.error(at("a.yaml", 1, 1), "of another file");
  diagnostics.error(at("b.yaml", 2, 5), "early");
  diagnostics.error(at("b.yaml", 2, 3), "earlier");
  EXPECT_THAT(diagnostics.lines(),
              ElementsAre("b.yaml:2:3: error: earlier", "b.yaml:2:5: error: early",
                          "b.yaml:7:1: error: late", "a.yaml:1:1: error: of another file"));
}

TEST(Diagnostics, RepeatsAreOneLineButCountAsErrors) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_NO_THROW(diagnostics.throw_if_any());
  diagnostics.error(at("a", 1, 1), "x");
  diagnostics.error(at("a", 1, 1), "x");
  EXPECT_EQ(diagnostics.count(), 2U);
  EXPECT_EQ(diagnostics.lines().size(), 1U);
}

TEST(Diagnostics, StopsKeepingLinesBeyondALimit) {
  Diagnostics diagnostics;
  for (int i = 1; i <= 100'000; ++i) diagnostics.error(at("a", i, 1), "x");
  EXPECT_TRUE(diagnostics.full());
  EXPECT_EQ(diagnostics.lines().size(), 101U);
  EXPECT_EQ(diagnostics.lines().back(),
            "error: more errors follow (only the first 100 are listed)");
}

TEST(Diagnostics, ThrowsAllLinesAtOnce) {
  Diagnostics diagnostics;
  diagnostics.error(at("a", 2, 1), "two");
  diagnostics.error(at("a", 1, 1), "one");
  try {
    diagnostics.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "a:1:1: error: one\na:2:1: error: two");
  }
}

TEST(Quote, ShowsTextOnOneLine) {
  EXPECT_EQ(quote("sync"), "'sync'");
  EXPECT_EQ(quote("a\nb\tc\x7f"), "'a\\nb\\x09c\\x7f'");
  EXPECT_EQ(quote(std::string("a\0b", 3)), "'a\\x00b'");
}

TEST(Quote, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(quote(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(quote(std::string(1'000'000, 'x')), "'" + std::string(60, 'x') + "...'");
  std::string accents;
  for (int i = 0; i < 61; ++i) accents += "\xC3\xA9";
  EXPECT_EQ(quote(accents), "'" + accents.substr(0, 120) + "...'");
}

TEST(DidYouMean, FindsAddedLostChangedAndSwappedLetters) {
  const std::vector<std::string> known = {"workers", "bucket", "k-async", "fp32"};
  EXPECT_EQ(did_you_mean("worker", known), "workers");
  EXPECT_EQ(did_you_mean("worrkers", known), "workers");
  EXPECT_EQ(did_you_mean("wirkers", known), "workers");
  EXPECT_EQ(did_you_mean("wokrers", known), "workers");
  EXPECT_EQ(did_you_mean("k_async", known), "k-async");
  EXPECT_EQ(did_you_mean("KASYNC", known), "k-async");
  EXPECT_EQ(did_you_mean("FP32", known), "fp32");
}

TEST(DidYouMean, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("momentum", {"workers", "bucket"}), "");
  EXPECT_EQ(did_you_mean("x", {"k", "s"}), "");  // another single letter is not a typing error
  EXPECT_EQ(did_you_mean("", {"k"}), "");
  EXPECT_EQ(did_you_mean("workers", {}), "");
  EXPECT_EQ(did_you_mean(std::string(1'000'000, 'w'), {"workers"}), "");
}

TEST(DidYouMean, PrefersTheNearest) {
  EXPECT_EQ(did_you_mean("fp3", {"fp16", "fp32", "fp64"}), "fp32");
  EXPECT_EQ(did_you_mean("async", {"sync", "async", "k-async"}), "async");
}

TEST(UnknownName, ListsWhatIsKnown) {
  EXPECT_EQ(unknown_name("key", "wrkers", {"workers", "batch"}),
            "unknown key 'wrkers' (did you mean 'workers'? known: workers, batch)");
  EXPECT_EQ(unknown_name("key", "zzz", {"workers", "batch"}),
            "unknown key 'zzz' (known: workers, batch)");
  EXPECT_EQ(unknown_name("key", "zzz", {}), "unknown key 'zzz'");
}

TEST(UnknownName, GuessesFirstWhatBeginsSo) {
  EXPECT_EQ(unknown_name("machine", "dgx1", {"az", "dgx1-p100", "dgx1-v100"}),
            "unknown machine 'dgx1' (did you mean 'dgx1-p100' or 'dgx1-v100'? known: az, "
            "dgx1-p100, dgx1-v100)");
  EXPECT_EQ(unknown_name("key", "a", {"ab", "ac"}), "unknown key 'a' (known: ab, ac)")
      << "one letter is no guess";
  EXPECT_EQ(unknown_name("key", "net", {"net1", "net2", "net3", "net4", "net5"}),
            "unknown key 'net' (did you mean 'net1'? known: net1, net2, net3, net4, net5)");
}

TEST(UnknownName, SaysWhatToWriteInsteadOfOtherToolsWords) {
  EXPECT_EQ(unknown_name("machine", "4 x dgx1", {"dgx1-p100"}),
            "unknown machine '4 x dgx1' (a cluster is a machine of machines: 'machine: {of: "
            "dgx1-v100, count: 4, network: infiniband-edr}')");
  EXPECT_NE(unknown_name("model", "llama3", {"resnet50"}).find("others are blocks"),
            std::string::npos);
  EXPECT_EQ(unknown_name("machine", "h100", {"h200"}),
            "unknown machine 'h100' (a machine is a whole computer: 'paceline list machines' names "
            "the GPUs of each)");
  EXPECT_EQ(unknown_name("key", "lr", {"name"}),
            "unknown key 'lr' ('optimizer: {kind: sgd, learning_rate: 0.1}')");
  EXPECT_EQ(unknown_name("aggregation", "DDP", {"gather"}),
            "unknown aggregation 'DDP' (DistributedDataParallel and Horovod are '{kind: allreduce, "
            "algorithm: nccl}')");
  EXPECT_EQ(unknown_name("block", "h100", {"lstm"}), "unknown block 'h100' (known: lstm)")
      << "each name is that of a kind of thing";
}

TEST(WithArticle, FollowsTheFirstLetter) {
  EXPECT_EQ(with_article("time"), "a time");
  EXPECT_EQ(with_article("amount of work"), "an amount of work");
}

}  // namespace
}  // namespace paceline
