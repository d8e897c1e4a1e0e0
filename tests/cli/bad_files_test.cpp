// SPDX-License-Identifier: MIT
// Every file in bad/ opens with "# expect: LINE:COLUMN: error: message" lines that list all of its
// errors in order. A new file is a new test.
#include <algorithm>

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

const std::filesystem::path kFolder(PACELINE_SOURCE_DIR "/tests/cli/bad");

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BadExperiment : public CommandTest, public testing::WithParamInterface<std::string> {
 protected:
  std::string file() const { return GetParam() + ".yaml"; }
  std::string expected() const {
    std::istringstream lines(read(kFolder / file()));
    constexpr std::string_view kMark = "# expect: ";
    std::string errors;
    for (std::string line; std::getline(lines, line) && line.starts_with(kMark);) {
      errors += file() + ":" + line.substr(kMark.size()) + "\n";
    }
    return errors;
  }
};

TEST_P(BadExperiment, IsReportedAsItSaysAndNothingIsWritten) {
  ASSERT_NE(expected(), "") << "the file says nothing";
  write(file(), read(kFolder / file()));
  for (const char* command : {"check", "simulate", "execute", "run", "explain", "validate"}) {
    EXPECT_EQ(run({command, file()}), 2);
    EXPECT_EQ(err, expected()) << command;
    EXPECT_EQ(out, "");
  }
  EXPECT_FALSE(std::filesystem::exists("results"));
}

INSTANTIATE_TEST_SUITE_P(All, BadExperiment, testing::ValuesIn(bad_files()),
                         [](const auto& file) { return file.param; });

TEST_F(CommandTest, ErrorsOfAllFilesComeAtOnce) {
  write("a.yaml", "name: a\nmodel: resnet51\nmachine: ideal\n");
  write("b.yaml", "name: b\nmodel: resnet50\nmachine: idea\n");
  EXPECT_EQ(run({"check", "a.yaml", "b.yaml"}), 2);
  EXPECT_THAT(err, testing::StartsWith("a.yaml:2:8: error: unknown model 'resnet51'"));
  EXPECT_THAT(err, testing::HasSubstr("\nb.yaml:3:10: error: unknown machine 'idea'"));
}

TEST_F(CommandTest, GoodFilesAreSilent) {
  write("a.yaml", "name: a\nmodel: resnet50\nmachine: ideal\n");
  EXPECT_EQ(run({"check", "a.yaml", "--set", "workers=[1, 2]"}), 0);
  EXPECT_EQ(out + err, "");
}

}  // namespace
}  // namespace paceline
