// SPDX-License-Identifier: MIT
#include "experiments/tree.hpp"

#include <gtest/gtest.h>

#include "experiments/yaml.hpp"

namespace paceline {
namespace {

Tree parsed(const std::string& text) {
  return parse_yaml("t.yaml", text);
}

TEST(Tree, SetsInPlaceOrAtTheEnd) {
  Tree tree = parsed("{a: 1, b: 2}");
  tree.set("a", Tree::scalar("3"));
  tree.set("c", Tree::scalar("4"));
  EXPECT_EQ(to_flow(tree), "{a: 3, b: 2, c: 4}");
  EXPECT_EQ(tree.find("d"), nullptr);
}

TEST(ToJson, KeepsOrderAndKnowsNumbers) {
  const Tree tree = parsed("{z: 1, a: [1.5e3, -0, true, text, '7', ~], q: \"a\\\"b\\\\\\n\"}");
  EXPECT_EQ(to_json(tree), R"({"z": 1,"a": [1.5e3,-0,true,"text","7",null],"q": "a\"b\\\n"})");
}

TEST(ToJson, WritesOnlyWhatJsonCallsANumber) {
  for (const char* text : {"010", "+1", ".5", "5.", "-.5", "1.e5", "1e", "-", "0x10", "1_0", ".inf",
                           "nan", "25 MiB", "", "1e+", "--1"}) {
    EXPECT_EQ(to_json(Tree::scalar(text)), '"' + std::string(text) + '"');
  }
  for (const char* text : {"0", "-0", "10", "0.5", "1e5", "1E-5", "-1.25e+10"}) {
    EXPECT_EQ(to_json(Tree::scalar(text)), text);
  }
}

TEST(ToJson, IndentsWhenAsked) {
  EXPECT_EQ(to_json(parsed("{a: [1, 2], b: {}, c: []}"), 2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

TEST(ToFlow, IsWhatTheUserWouldWrite) {
  EXPECT_EQ(to_flow(parsed("kind: k-sync\nk: 50 %\n")), "{kind: k-sync, k: 50 %}");
  EXPECT_EQ(to_flow(parsed("- 1\n- [a, b]\n- ~\n")), "[1, [a, b], null]");
  EXPECT_EQ(to_flow(parsed("'resnet50'")), "resnet50");
  EXPECT_EQ(to_flow(parsed("\"8\"")), "\"8\"");
}

// Flow text that reads back as another tree would make --set and the manifest lie.
TEST(ToFlow, ReadsBackAsTheSameTree) {
  for (const char* text : {"'8'",       "'true'",
                           "'null'",    "'~'",
                           "''",        "' x '",
                           "'a, b'",    "'[a]'",
                           "'{a}'",     "'a: b'",
                           "'a #b'",    "'#a'",
                           "'a:'",      "'- a'",
                           "'-'",       "'?'",
                           "'&a'",      "'*a'",
                           "'!a'",      "'|'",
                           "'>'",       "'%a'",
                           "'@a'",      "'`a'",
                           "'''a'",     "'\"a\"'",
                           "\"a\\nb\"", "\"\\t\"",
                           "'25 MiB'",  "-a",
                           "a-b",       "../x.yaml",
                           "http://x",  "{'a, b': 1, 'c: d': 2, '': 3}",
                           "1.5",       "1,5",
                           "µ"}) {
    const Tree tree = parsed(text);
    const Tree again = parsed(to_flow(tree));
    EXPECT_EQ(to_json(again), to_json(tree)) << to_flow(tree);
    EXPECT_EQ(to_flow(again), to_flow(tree));
  }
}

TEST(AsVariant, ABareNameIsItsKind) {
  EXPECT_EQ(to_flow(as_variant(Tree::scalar("sync"))), "{kind: sync}");
  EXPECT_EQ(to_flow(as_variant(parsed("{k: 2}"))), "{k: 2}");
}

TEST(Weight, CountsValuesAndText) {
  EXPECT_EQ(weight(parsed("{a: 1, b: [1, 2]}")), 5U);
  EXPECT_EQ(weight(Tree::scalar(std::string(3200, 'x'))), 101U);
}

}  // namespace
}  // namespace paceline
