// SPDX-License-Identifier: MIT
// Inputs by the names of well-known programs.
#include "training/workload/input/input_source.hpp"

#include <gmock/gmock.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

Choice<InputSource> read(const std::string& text, std::string* problem = nullptr) {
  Choice<InputSource> input;
  Diagnostics diagnostics;
  Value<Choice<InputSource>>::read(input, *parse_yaml("t", "input: " + text).find("input"),
                                   diagnostics);
  const std::string problems = join(diagnostics.lines(), "\n");
  if (problem != nullptr) *problem = problems;
  if (problem == nullptr) {
    EXPECT_EQ(problems, "");
  }
  return input;
}

// "A figure has a source": every key that a preset gives, or the mapping that it is in.
TEST(InputPresets, LoadAndStateTheSourceOfEachFigure) {
  ASSERT_FALSE(embedded_inputs().empty());
  for (const EmbeddedFile& preset : embedded_inputs()) {
    const Choice<InputSource> input = read(std::string(preset.name));
    ASSERT_TRUE(input) << preset.name;
    EXPECT_GT(input->loading().loaders, 0) << preset.name;
    EXPECT_GT(input->loading().prepare, Seconds{}) << preset.name;
    const Tree tree = parse_yaml("t", std::string(preset.text));
    const Tree* sources = tree.find("sources");
    ASSERT_NE(sources, nullptr) << preset.name;
    for (const Member& key : tree.members) {
      if (key.key == "kind" || key.key == "sources") continue;
      if (key.value.is_scalar()) {
        EXPECT_NE(sources->find(key.key), nullptr) << preset.name << ": " << key.key;
      }
      for (const Member& inner : key.value.members)
        EXPECT_NE(sources->find(key.key + "." + inner.key), nullptr)
            << preset.name << ": " << inner.key;
    }
  }
}

TEST(InputPresets, OfChangesKeysAndKeepsTheOthers) {
  const Loading usual = read("imagenet-jpeg-pytorch")->loading();
  const Loading changed = read(
                              "{of: imagenet-jpeg-pytorch, decode: {workers: 6}, read: {size: 110 "
                              "kB, bandwidth: 550 MB/s}}")
                              ->loading();
  EXPECT_EQ(changed.loaders, 6);
  EXPECT_EQ(changed.prepare, usual.prepare);
  EXPECT_TRUE(changed.pins);
  EXPECT_DOUBLE_EQ(changed.read.value(), 200e-6);
  EXPECT_EQ(usual.read, Seconds{}) << "in the page cache";
}

// As --set input.items=64 makes of `input: constant`.
TEST(InputPresets, OfNamesAKindToo) {
  EXPECT_EQ(read("{of: constant, items: 64}")->loading().resident, 64);
}

TEST(InputPresets, AnUnknownNameIsNotAKindEither) {
  std::string problem;
  EXPECT_FALSE(read("{kind: imagenet-jpeg-pytorch}", &problem));
  EXPECT_THAT(problem, HasSubstr("unknown input 'imagenet-jpeg-pytorch'"));
  EXPECT_FALSE(read("imagenet-jpg", &problem));
  EXPECT_THAT(problem, HasSubstr("unknown input 'imagenet-jpg'"));
  EXPECT_THAT(problem, HasSubstr("imagenet-jpeg-pytorch")) << "it lists the presets";
}

}  // namespace
}  // namespace paceline
