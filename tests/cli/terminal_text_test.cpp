// SPDX-License-Identifier: MIT
// Tables, numbers, quantities and YAML as shown to people.
#include "cli/block_yaml.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/yaml.hpp"
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesOutEmptyOnes) {
  EXPECT_EQ(text_table({{"name"}, {"n", true}, {"none"}}, {{"a", "1", ""}, {"bcdef", "100", ""}}),
            "name     n\na        1\nbcdef  100\n");
  EXPECT_EQ(text_table({{"x"}, {"y", true}}, {{"µs", "1"}, {"s", "2"}}), "x   y\nµs  1\ns   2\n");
}

// 6 + 2 + 29 + 2 + 4 columns in 30: the widest text has 16.
TEST(TextTable, WrapsTheWidestTextOfATableThatIsTooWide) {
  EXPECT_EQ(text_table({{"n", true}, {"what"}, {"where"}},
                       {{"1", "resnet50 on dgx1-p100, async", "here"}, {"22", "b", "there"}},
                       TableStyle::aligned, 30),
            " n  what                 where\n"
            " 1  resnet50 on          here\n"
            "      dgx1-p100, async\n"
            "22  b                    there\n");
}

TEST(Significant, KeepsDigitsNotDecimals) {
  EXPECT_EQ(significant(1234.5, 4), "1234");
  EXPECT_EQ(significant(12.345, 4), "12.35");
  EXPECT_EQ(significant(0.0012345, 2), "0.0012");
  EXPECT_EQ(significant(0, 3), "0.00");
  EXPECT_EQ(significant(9.99, 2), "10");
}

TEST(Shown, TakesTheUnitThatSuits) {
  EXPECT_EQ(shown(Seconds{0.0123}), "12.30 ms");
  EXPECT_EQ(shown(Seconds{90}), "1.500 min");
  EXPECT_EQ(shown(Seconds{3e-10}), "0.3000 ns");
  EXPECT_EQ(shown(Seconds{0}), "0");
  EXPECT_EQ(shown(Bytes{102228128}), "102.2 MB");
  EXPECT_EQ(shown(BytesPerSecond{12.76e9}), "12.76 GB/s");
}

TEST(BlockYaml, ReadsBackAsTheSameTree) {
  const std::string text =
      "a: 1\n"
      "b:\n"
      "  c: [1 ms, 2 ms]\n"
      "  d: \"quoted: text\"\n"
      "e:\n"
      "  - f: x\n"
      "    g: {}\n"
      "  - f: y\n"
      "    g: []\n";
  const Tree tree = parse_yaml("text", text);
  EXPECT_EQ(block_yaml(tree), text);
}

}  // namespace
}  // namespace paceline
