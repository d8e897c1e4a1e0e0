// SPDX-License-Identifier: MIT
#include "experiments/language/tree.hpp"

#include <gtest/gtest.h>

#include "experiments/language/json.hpp"
#include "experiments/language/yaml.hpp"

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

TEST(ToFlow, IsWhatTheUserWouldWrite) {
  EXPECT_EQ(to_flow(parsed("kind: k-sync\nk: 50 %\n")), "{kind: k-sync, k: 50 %}");
  EXPECT_EQ(to_flow(parsed("- 1\n- [a, b]\n- ~\n")), "[1, [a, b], null]");
  EXPECT_EQ(to_flow(parsed("'resnet50'")), "resnet50");
  EXPECT_EQ(to_flow(parsed("\"8\"")), "\"8\"");
}

// If flow text read back as another tree, --set and the manifest would be wrong.
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
