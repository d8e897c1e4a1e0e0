// SPDX-License-Identifier: MIT
// Each bad/*.yaml opens with "# expect: LINE:COLUMN: error: ...", its only error. A line that ends
// in "..." leaves the rest open, because some lists grow with the presets.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

std::vector<std::string> bad_files() {
  std::vector<std::string> files;
  const std::string folder = std::string(PACELINE_SOURCE_DIR) + "/tests/topology/bad";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& file) {
  return std::filesystem::path(file.param).stem().string();
}

class BadMachine : public testing::TestWithParam<std::string> {};

TEST_P(BadMachine, causes_the_error_it_expects) {
  const std::string text = read_text_file(GetParam());
  const std::string mark = "# expect: ";
  ASSERT_TRUE(text.starts_with(mark));
  const std::string expected =
      GetParam() + ":" + text.substr(mark.size(), text.find('\n') - mark.size());
  try {
    load_machine(Tree::scalar(GetParam()));
    FAIL() << "loads";
  } catch (const SpecError& error) {
    const std::string open = "...";
    if (expected.ends_with(open)) {
      EXPECT_THAT(error.what(),
                  testing::StartsWith(expected.substr(0, expected.size() - open.size())));
    } else {
      EXPECT_EQ(error.what(), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BadMachine, testing::ValuesIn(bad_files()), test_name);

TEST(LoadMachine, unknown_preset_is_an_error_at_the_name) {
  EXPECT_THROW(load_machine(Tree::scalar("dgx2")), SpecError);
  EXPECT_THROW(load_machine(Tree::scalar("this")), SpecError);
  EXPECT_THROW(load_machine(Tree{}), SpecError);
  EXPECT_THROW(load_machine(Tree::list({})), SpecError);
}

TEST(LoadMachine, all_errors_come_at_once) {
  const Tree tree = parse_yaml("m.yaml",
                               "gpus: [{model: k80}]\n"
                               "host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
                               "link_types: {x16: {kind: pcie, bandwidth: 16 GB/s, source: test}}\n"
                               "links: [{type: x16, from: cpu0, to: [a, b]}]\n");
  try {
    load_machine(tree);
    FAIL() << "loads";
  } catch (const SpecError& error) {
    EXPECT_EQ(std::string(error.what()),
              "m.yaml:4:38: error: unknown vertex 'a' (known: cpu0, gpu0)\n"
              "m.yaml:4:41: error: unknown vertex 'b' (known: cpu0, gpu0)");
  }
}

}  // namespace
}  // namespace paceline
