// SPDX-License-Identifier: MIT
#include "experiments/language/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

using sample::Spec;
using testing::ElementsAre;

constexpr const char* kFull = R"(
name: full
model: resnet50
workers: 8
samples: 1281167
seed: 18446744073709551615
rate: 0.4
overlap: true
precision: bf16
bucket: 4 MiB
work: 3.9 GFLOP
speed: 10 TFLOP/s
share: 70 %
update: {kind: k-async, k: 50 %}
stragglers:
  compute:
    kind: mixture
    parts: [none, {kind: exponential, mean: 100 ms, added: false}]
    weights: [0.9, 0.1]
  workers: {3: {slowdown: 1.15}}
milestones: [30, 60]
link: {bandwidth: 12 GB/s, latency: 1.3 us}
)";

TEST(Read, FillsEveryKindOfKey) {
  Diagnostics diagnostics;
  const auto spec = read<Spec>(parse_yaml("t", kFull), diagnostics);
  EXPECT_THAT(diagnostics.lines(), ElementsAre());
  EXPECT_EQ(spec.name, "full");
  EXPECT_EQ(spec.workers, 8);
  EXPECT_EQ(spec.seed, 18446744073709551615U);
  EXPECT_EQ(spec.precision, sample::Precision::bf16);
  EXPECT_EQ(spec.bucket, Bytes{4194304});
  EXPECT_EQ(spec.share, Percent{0.7});
  EXPECT_EQ(spec.update.kind(), "k-async");
  EXPECT_EQ(spec.stragglers.compute.kind(), "mixture");
  EXPECT_EQ(spec.stragglers.workers.at(3).slowdown, 1.15);
  EXPECT_THAT(spec.milestones, ElementsAre(30, 60));
  EXPECT_EQ(spec.link.value_or(sample::Link{}).latency, Seconds{1.3e-6});
}

// Written text reads back as the same value, so a manifest can repeat its run.
TEST(Write, IsTheInverseOfRead) {
  Diagnostics diagnostics;
  const Tree first = write_keys(read<Spec>(parse_yaml("t", kFull), diagnostics));
  const Tree second = write_keys(read<Spec>(parse_yaml("t", to_flow(first)), diagnostics));
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(to_flow(first), to_flow(second));
  EXPECT_EQ(to_flow(*first.find("stragglers")),
            "{compute: {kind: mixture, parts: [none, {kind: exponential, mean: 100 ms, added: "
            "false}], weights: [0.9, 0.1]}, workers: {3: {slowdown: 1.15}}}");
}

TEST(Read, LeavesDefaultsWhereNothingIsWritten) {
  Diagnostics diagnostics;
  const auto spec = read<Spec>(parse_yaml("t", "{name: a, model: m}"), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(spec.update.kind(), "sync");
  EXPECT_FALSE(spec.link.has_value());
  EXPECT_EQ(spec.bucket, Bytes{26214400});
}

TEST(Read, SaysWhetherItWentWellEvenOfARepeatedError) {
  const Tree tree = parse_yaml("t", "{name: a}");
  Diagnostics diagnostics;
  Spec spec;
  EXPECT_FALSE(read_keys(spec, tree, diagnostics));
  EXPECT_FALSE(read_keys(spec, tree, diagnostics));  // another point of the same sweep
  EXPECT_EQ(diagnostics.lines().size(), 1U);
}

TEST(Read, CollectsAllErrors) {
  Diagnostics diagnostics;
  read<Spec>(parse_yaml("t", "{model: 3, workers: 0, rate: x, link: {latency: -1 s}, foo: 1}"),
             diagnostics);
  EXPECT_EQ(diagnostics.lines().size(), 6U) << join(diagnostics.lines(), "\n");
}

TEST(KeysOf, ListsTheKeysOfTheReader) {
  const std::vector<KeyInfo> keys = keys_of<Spec>();
  const auto find = [&keys](const std::string& name) {
    return *std::find_if(keys.begin(), keys.end(),
                         [&](const KeyInfo& k) { return k.name == name; });
  };
  EXPECT_TRUE(find("name").required);
  EXPECT_EQ(find("bucket").fallback, "25 MiB");
  EXPECT_EQ(find("bucket").bounds, "> 0 B");
  EXPECT_EQ(find("workers").bounds, ">= 1, <= 1024");
  EXPECT_EQ(find("update").fallback, "sync");
  EXPECT_EQ(find("link").fallback, "null");
  EXPECT_EQ(find("precision").type.choices, (std::vector<std::string>{"fp32", "fp16", "bf16"}));
  EXPECT_TRUE(find("milestones").type.list);
  EXPECT_EQ(find("stragglers").type.fields()[1].type.element->fields()[0].name, "slowdown");
}

}  // namespace
}  // namespace paceline
