// SPDX-License-Identifier: MIT
#include "experiments/language/yaml.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace paceline {
namespace {

Tree parsed(const std::string& text) {
  return parse_yaml("t", text);
}

std::string problem(const std::string& text) {
  try {
    parsed(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string place(const Tree& tree) {
  return std::to_string(tree.at.line) + ":" + std::to_string(tree.at.column);
}

TEST(ParseYaml, KeepsScalarsAsTheyWereWritten) {
  EXPECT_EQ(to_flow(parsed("a: 1e3\nb: 010\nc: yes\nd: 25 MiB\n")),
            "{a: 1e3, b: 010, c: yes, d: 25 MiB}");
  EXPECT_TRUE(parsed("'5'").quoted && parsed("!!str 5").quoted && parsed("|\n  5").quoted);
  EXPECT_FALSE(parsed("5").quoted);
}

TEST(ParseYaml, RecordsThePlaceOfEverything) {
  const Tree tree = parsed(
      "block:\n  inner: 1\nflow: {a: 1, b: [2]}\nquoted: \"x\n  y\"\nlist:\n  - 1\n  - b: 2\n");
  EXPECT_EQ(place(tree), "1:1");
  EXPECT_EQ(place(*tree.find("block")), "1:1");  // a block is located at its key
  EXPECT_EQ(place(*tree.find("block")->find("inner")), "2:10");
  EXPECT_EQ(place(*tree.find("flow")), "3:7");
  EXPECT_EQ(place(*tree.find("flow")->find("b")), "3:17");
  EXPECT_EQ(place(tree.find("flow")->find("b")->items[0]), "3:18");
  EXPECT_EQ(place(*tree.find("quoted")), "4:9");
  EXPECT_EQ(place(*tree.find("list")), "6:1");
  EXPECT_EQ(place(tree.find("list")->items[1]), "8:5");
  EXPECT_EQ(tree.members[2].key_at.line, 4);
}

TEST(ParseYaml, CountsColumnsInCharacters) {
  const Tree tree = parsed("{\xC3\xA9: \xF0\x9D\x9B\xBC, b: 1}");
  EXPECT_EQ(tree.members[1].key_at.column, 8);
}

TEST(ParseYaml, AByteOrderMarkAndWindowsLinesMoveNothing) {
  const Tree tree = parsed(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n");
  EXPECT_EQ(to_flow(tree), "{a: 1, b: 2}");
  EXPECT_EQ(tree.members[0].key_at.column, 1);
  EXPECT_EQ(place(*tree.find("b")), "2:4");
}

TEST(ParseYaml, NothingIsANullAtItsKey) {
  const Tree tree = parsed("a:\nb: ~\nc: null\nd: ''\n");
  EXPECT_EQ(tree.find("a")->kind, Tree::Kind::null);
  EXPECT_EQ(place(*tree.find("a")), "1:1");
  EXPECT_EQ(place(*tree.find("b")), "2:4");
  EXPECT_EQ(tree.find("c")->kind, Tree::Kind::null);
  EXPECT_TRUE(tree.find("d")->is_scalar());
}

TEST(ParseYaml, AliasesAreCopies) {
  const Tree tree = parsed("a: &x {b: 1}\nc: *x\n");
  EXPECT_EQ(to_flow(tree), "{a: {b: 1}, c: {b: 1}}");
  EXPECT_EQ(place(*tree.find("c")), "2:4");
  EXPECT_EQ(place(*tree.find("c")->find("b")),
            "1:11");  // a value in a block is located where it was written
}

// Without limits, each of these files takes minutes, gigabytes or the whole stack.
TEST(ParseYaml, HostileFilesAreRefusedSoon) {
  std::string bomb = "- &a0 x\n";   // doubles with each line
  std::string tower = "- &a0 x\n";  // two levels deeper with each line
  for (int i = 1; i < 100; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string start = "- &a" + std::to_string(i) + " [";
    bomb.append(start).append(before).append(", ").append(before).append("]\n");
    tower.append(start).append("[").append(before).append("]]\n");
  }
  const std::string large_text =
      "a: &a " + std::string(1'000'000, 'x') + "\nb: [" + repeated("*a, ", 1000) + "]";
  const std::vector<std::string> files = {bomb,
                                          tower,
                                          large_text,
                                          repeated("[", 100'000),
                                          repeated("{", 100'000),
                                          repeated("{a: ", 100'000),
                                          repeated("- ", 50'000),
                                          repeated("? ", 50'000),
                                          repeated(": ", 50'000),
                                          "[" + repeated("1, ", 300'000) + "1]",
                                          repeated("- \n", 300'000),
                                          repeated(",", 100'000),
                                          repeated("*a ", 100'000),
                                          repeated("&a ", 100'000),
                                          repeated("%", 100'000),
                                          repeated("? a\n", 100'000),
                                          repeated("'", 100'001),
                                          repeated("[],", 100'000),
                                          std::string(5'000'000, ' '),
                                          "a: \"" + repeated("\\x41", 100'000)};
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& file : files) EXPECT_NE(problem(file), "") << file.substr(0, 40);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(ParseYaml, ErrorsStateTheBounds) {
  EXPECT_EQ(problem(repeated("[", 65) + repeated("]", 65)),
            "t:1:65: error: nested too deeply (at most 64 levels)");
  EXPECT_EQ(
      problem("[" + repeated("1,", 200'000) + "1]"),
      "t:1:400002: error: the document is too large (at most 200000 values, copies by aliases "
      "included)");
  EXPECT_EQ(problem(std::string(5'000'000, '#')), "t: error: the file is larger than 4 MiB");
}

TEST(ReadTextFile, SaysWhyItCannot) {
  EXPECT_THROW(read_text_file("/nonexistent/x.yaml"), SpecError);
  try {
    read_yaml_file("/nonexistent/x.yaml");
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(),
                 "/nonexistent/x.yaml: error: cannot read (No such file or directory)");
  }
  EXPECT_THROW(read_text_file("/"), SpecError);
}

}  // namespace
}  // namespace paceline
