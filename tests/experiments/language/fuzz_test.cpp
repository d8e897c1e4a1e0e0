// SPDX-License-Identifier: MIT
// No input may crash, hang or exhaust memory: thousands of damaged copies of good files pass
// through all stages from text to structs. The damage is deterministic, so a failure can be
// repeated. The test is most effective under sanitizers.
#include <array>
#include <chrono>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

#include "experiments/language/json.hpp"
#include "experiments/language/override.hpp"
#include "experiments/language/sweep.hpp"
#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 2> kGood{R"(# an experiment
name: resnet50-dgx1
model: "resnet50"
workers: [1, 2, 4, 8]
update: [sync, {kind: k-async, k: 50 %}]
stragglers:
  compute: &delay {kind: exponential, mean: 100 ms}
  workers:
    3: {slowdown: 1.15}
milestones: [30, 60, 80]
bucket: 25 MiB
link: {bandwidth: 12 GB/s, latency: 1.3 us}
)",
                                                R"(name: zipped
zip:
  - {model: alexnet, samples: 512, stragglers: {compute: none}}
  - {model: vgg16, samples: 64, stragglers: {compute: {kind: mixture, parts: [none], weights: [1]}}}
share: 70 %
seed: [1, 2]
precision: !!str fp16
link:
  bandwidth:
    3
    GB/s
)"};

constexpr std::array<std::string_view, 34> kPieces{"[",          "]",
                                                   "{",          "}",
                                                   ":",          ": ",
                                                   ", ",         "- ",
                                                   "\n",         "\n  ",
                                                   "\t",         "\r",
                                                   "'",          "\"",
                                                   "#",          " #",
                                                   "&a ",        "*a",
                                                   "*delay",     "!!str ",
                                                   "? ",         "<<: ",
                                                   "|\n",        ">\n",
                                                   "---\n",      "...\n",
                                                   "%",          "~",
                                                   "1e999",      "\xC3\xA9",
                                                   "\xFF",       "zip: ",
                                                   "[[1], [2]]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"};

std::string mutated(std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  std::string text(kGood[below(kGood.size())]);
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 20) + 1);
    switch (below(6)) {
      case 0:  // remove some bytes
        text.erase(at, length);
        break;
      case 1:  // repeat some bytes at another place
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 2:  // set a byte to any value
        text.insert(at, 1, static_cast<char>(random() & 0xFFU));
        break;
      case 3:  // flip a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 4:  // cut off the end
        if (below(4) == 0) text.resize(at);
        break;
      default:
        text.insert(at, kPieces[below(kPieces.size())]);
    }
  }
  return text;
}

/// The stage that a text reaches.
enum class Stage { no_yaml, no_sweep, no_experiment, good };

/// True if every point reads. A readable point must survive writing and reading.
bool reads(const std::vector<PointTree>& points) {
  Diagnostics diagnostics;
  for (const PointTree& point : points) {
    const auto spec = read<sample::Spec>(point.tree, diagnostics);
    if (!diagnostics.empty()) continue;
    const Tree written = write_keys(spec);
    const auto again = read<sample::Spec>(parse_yaml("again", to_flow(written)), diagnostics);
    EXPECT_EQ(to_json(write_keys(again)), to_json(written));
  }
  for (const std::string& line : diagnostics.lines()) EXPECT_LT(line.size(), 1000U);
  return diagnostics.empty();
}

Stage stage_reached(const std::string& text) {
  Tree tree;
  try {
    tree = parse_yaml("fuzz", text);
  } catch (const SpecError&) {
    return Stage::no_yaml;
  }
  try {
    return reads(expand(tree, ListKeys(keys_of<sample::Spec>()))) ? Stage::good
                                                                  : Stage::no_experiment;
  } catch (const SpecError&) {
    return Stage::no_sweep;
  }
}

TEST(Fuzz, DamagedFilesEndInErrorsOrPoints) {
  std::mt19937 random(20240601);
  std::array<int, 4> reached{};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5000; ++i) {
    const std::string text = mutated(random);
    SCOPED_TRACE(text);
    ++reached[static_cast<std::size_t>(stage_reached(text))];
  }
  for (const int count : reached) EXPECT_GT(count, 50);  // the damage must reach every stage
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
}

TEST(Fuzz, GoodFilesAreGood) {
  for (const std::string_view text : kGood)
    EXPECT_EQ(stage_reached(std::string(text)), Stage::good);
}

TEST(Fuzz, DamagedOverridesEndInErrorsOrTrees) {
  std::mt19937 random(7);
  const Tree good = parse_yaml("good", std::string(kGood[0]));
  for (int i = 0; i < 3000; ++i) {
    std::string text = "stragglers.compute={kind: exponential, mean: [1 ms, 2 ms]}";
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % (text.size() + 1);
      if (random() % 2 == 0) {
        text.insert(at, kPieces[random() % kPieces.size()]);
      } else {
        text.erase(at, random() % 8);
      }
    }
    Tree tree = good;
    try {
      apply_override(tree, text);
      Diagnostics diagnostics;
      for (const PointTree& point : expand(tree, {})) read<sample::Spec>(point.tree, diagnostics);
    } catch (const SpecError& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  }
}

}  // namespace
}  // namespace paceline
