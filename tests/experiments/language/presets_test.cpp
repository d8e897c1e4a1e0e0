// SPDX-License-Identifier: MIT
#include "experiments/language/presets.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

constexpr std::array<EmbeddedFile, 2> kPresets{
    {{"dgx2", "# two of them\na: 1\n"}, {"dgx1", "#  DGX-1, eight P100\r\nb: 2\n"}}};

Location in_file(const std::string& path) {
  return {std::make_shared<const std::string>(path), 3, 10};
}

std::string problem(const std::string& name) {
  try {
    load_preset_or_path(Tree::scalar(name, in_file("dir/x.yaml")), "machine", kPresets);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(Presets, AreListedByName) {
  EXPECT_THAT(preset_names(kPresets), testing::ElementsAre("dgx1", "dgx2"));
  EXPECT_EQ(first_comment(kPresets[0].text), "two of them");
  EXPECT_EQ(first_comment(kPresets[1].text), "DGX-1, eight P100");
  EXPECT_EQ(first_comment("a: 1"), "");
  EXPECT_EQ(first_comment("# all"), "all");
  EXPECT_EQ(first_comment("#\n"), "");
}

TEST(Presets, AreLoadedByName) {
  const Tree tree = load_preset_or_path(Tree::scalar("dgx1"), "machine", kPresets);
  EXPECT_EQ(to_flow(tree), "{b: 2}");
  EXPECT_EQ(to_string(tree.find("b")->at), "dgx1 (preset):2:4");
}

TEST(Presets, APathIsRelativeToTheFileItStandsIn) {
  EXPECT_EQ(path_from(in_file("dir/x.yaml"), "m.yaml"), "dir/m.yaml");
  EXPECT_EQ(path_from(in_file("x.yaml"), "../m.yaml"), "../m.yaml");
  EXPECT_EQ(path_from(in_file("dir/x.yaml"), "/m.yaml"), "/m.yaml");
  EXPECT_EQ(path_from(in_file("--set machine=a/m.yaml"), "a/m.yaml"), "a/m.yaml");
  EXPECT_EQ(path_from({}, "m.yaml"), "m.yaml");
}

TEST(Presets, AFileIsReadWhereItIs) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "presets_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "m.yaml") << "c: 3\n";
  const std::string experiment = (folder / "x.yaml").string();
  const Tree tree =
      load_preset_or_path(Tree::scalar("./m.yaml", in_file(experiment)), "machine", kPresets);
  EXPECT_EQ(to_flow(tree), "{c: 3}");
  std::filesystem::remove_all(folder);
}

TEST(Presets, AMissingPresetIsAnErrorAtTheName) {
  EXPECT_EQ(
      problem("dgx3"),
      "dir/x.yaml:3:10: error: unknown machine 'dgx3' (did you mean 'dgx1'? known: dgx1, dgx2)");
  EXPECT_EQ(problem("nope.yaml"),
            "dir/x.yaml:3:10: error: cannot open machine file 'dir/nope.yaml'");
  EXPECT_EQ(problem("/"), "dir/x.yaml:3:10: error: cannot open machine file '/'");
  EXPECT_NE(problem("/" + std::string(100'000, 'x')), "");
  EXPECT_THROW(load_preset_or_path(Tree::list({}), "machine", kPresets), SpecError);
}

}  // namespace
}  // namespace paceline
