// SPDX-License-Identifier: MIT
#include "experiments/language/text_check.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

const auto kFile = std::make_shared<const std::string>("t.yaml");

std::string problem(const std::string& text) {
  try {
    checked_text(kFile, text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckedText, MakesLinesAlike) {
  EXPECT_EQ(checked_text(kFile, "a\r\nb\rc\n\r\n\r"), "a\nb\nc\n\n\n");
  EXPECT_EQ(checked_text(kFile,
                         "\xEF\xBB\xBF"
                         "a"),
            "a");
  EXPECT_EQ(checked_text(kFile, ""), "");
}

TEST(CheckedText, TakesEveryLengthOfCharacter) {
  const std::string text = "a \xC3\xA9 \xE2\x82\xAC \xF0\x9D\x9B\xBC \xF4\x8F\xBF\xBF\t";
  EXPECT_EQ(checked_text(kFile, text), text);
}

TEST(CheckedText, RefusesWhatIsNotUtf8AtItsPlace) {
  EXPECT_EQ(problem("a: \xC3\xA9\nb: \xC3\xA9\xFF"),
            "t.yaml:2:5: error: byte 0xff is not UTF-8 (save the file as UTF-8)");
  for (const char* bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\x80", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF0\x9D\x9B", "\xC3\x28"}) {
    EXPECT_NE(problem(bytes), "") << std::hex << int{static_cast<unsigned char>(bytes[0])};
  }
}

TEST(CheckedText, RefusesControlCharacters) {
  EXPECT_EQ(problem(std::string("a: b\0", 5)),
            "t.yaml:1:5: error: control character 0x00 in the text");
  EXPECT_EQ(problem("\x1b[31m"), "t.yaml:1:1: error: control character 0x1b in the text");
  EXPECT_EQ(problem("a\x7f"), "t.yaml:1:2: error: control character 0x7f in the text");
}

TEST(TabInIndentation, IsFoundOnlyBeforeTheText) {
  EXPECT_EQ(tab_in_indentation("a:\n \tb: 1\n", 2), 2);
  EXPECT_EQ(tab_in_indentation("a:\tb\n", 1), 0);
  EXPECT_EQ(tab_in_indentation("a: b\n\n\tc", 2), 0);
  EXPECT_EQ(tab_in_indentation("a", 7), 0);
  EXPECT_EQ(tab_in_indentation("\t", 1), 1);
}

}  // namespace
}  // namespace paceline
