// SPDX-License-Identifier: MIT
// Every file in bad/ opens with "# expect: LINE:COLUMN: message" lines that list all of its errors
// in order. A new file is a new test.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "experiments/language/sweep.hpp"
#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(PACELINE_SOURCE_DIR "/tests/experiments/language/bad")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string expected_errors(const std::string& name, const std::string& text) {
  std::istringstream lines(text);
  std::string errors;
  constexpr std::string_view kMark = "# expect: ";
  for (std::string line; std::getline(lines, line) && line.starts_with(kMark);) {
    const std::string rest = line.substr(kMark.size());
    const std::size_t place = rest.find(": ");
    errors += name + ":" + rest.substr(0, place) + ": error: " + rest.substr(place + 2) + "\n";
  }
  return errors;
}

class BadFile : public testing::TestWithParam<std::string> {};

TEST_P(BadFile, IsReportedAsItSays) {
  const std::string text =
      read_text_file(PACELINE_SOURCE_DIR "/tests/experiments/language/bad/" + GetParam() + ".yaml");
  const std::string expected = expected_errors(GetParam(), text);
  ASSERT_NE(expected, "") << "the file says nothing";
  try {
    const Tree tree = parse_yaml(GetParam(), text);
    Diagnostics diagnostics;
    for (const PointTree& point : expand(tree, ListKeys(keys_of<sample::Spec>()))) {
      read<sample::Spec>(point.tree, diagnostics);
    }
    diagnostics.throw_if_any();
    FAIL() << "no error";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.what() + std::string("\n"), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadFile, testing::ValuesIn(bad_files()),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace paceline
