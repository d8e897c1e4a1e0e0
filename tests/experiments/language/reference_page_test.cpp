// SPDX-License-Identifier: MIT
#include "experiments/language/reference_page.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

struct Small {
  std::string name;
  Seconds timeout{0.01};
  sample::Stragglers stragglers;
  std::vector<sample::Worker> helpers;
  std::optional<CountOrShare> quorum;
  static void describe(Description<Small>& d) {
    d.required("name", &Small::name, "what results | figures are called");
    d.optional("timeout", &Small::timeout, "until giving up").above(Seconds{0});
    d.optional("stragglers", &Small::stragglers, "what slows workers down");
    d.optional("helpers", &Small::helpers, "spare workers");
    d.optional("quorum", &Small::quorum, "how many must answer");
  }
};

TEST(ReferencePage, ListsKeysFamiliesAndUnits) {
  EXPECT_EQ(reference_page(keys_of<Small>(), "# The file\n\nWhat it says.\n"),
            R"(# The file

What it says.

## Keys

| key | value | default | meaning |
|---|---|---|---|
| `name` | text | required | what results \| figures are called |
| `timeout` | [time](#units), > 0 s | `10 ms` | until giving up |
| `stragglers` | mapping |  | what slows workers down |
| `stragglers.compute` | [delay](#delay) | `none` | a delay before each step |
| `stragglers.workers` | mapping, each mapping |  | by worker |
| `stragglers.workers.*.slowdown` | number, >= 1 | `1` | multiplies arithmetic |
| `helpers` | list of mapping |  | spare workers |
| `helpers[].slowdown` | number, >= 1 | `1` | multiplies arithmetic |
| `quorum` | [count or share of the workers](#units) |  | how many must answer |

## Delay

| kind and its keys | value | default | meaning |
|---|---|---|---|
| **`none`** | | | no delay |
| **`exponential`** | | | memoryless delay with the given mean |
| `mean` | [time](#units), > 0 s | required | of the whole draw |
| `added` | true or false | `true` | add it to the arithmetic |
| **`mixture`** | | | one of several delays |
| `parts` | list of [delay](#delay) | required | the delays to choose from |
| `weights` | list of number | required | how often each is chosen |

## Units

| quantity | written as a number and |
|---|---|
| time | `ns`, `us`, `ms`, `s`, `min`, `h` |
| count or share of the workers | `%`, or nothing |
)");
}

TEST(ReferencePage, ATableAloneLinksToThePageOfAllKeys) {
  std::vector<KeyInfo> keys = keys_of<Small>();
  keys.erase(keys.begin(), keys.begin() + 4);
  EXPECT_EQ(
      key_table(keys, "file.md"),
      "| key | value | default | meaning |\n|---|---|---|---|\n"
      "| `quorum` | [count or share of the workers](file.md#units) |  | how many must answer |\n");
}

TEST(ReferencePage, SaysWhatElseMayStandThere) {
  KeyInfo key;
  key.name = "machine";
  key.help = "where it runs";
  key.type.choices = {"dgx1", "this"};
  key.type.also = "a path";
  EXPECT_NE(reference_page({key}, "").find(
                "| `machine` | `dgx1`, `this`, or a path |  | where it runs |"),
            std::string::npos);
}

}  // namespace
}  // namespace paceline
