// SPDX-License-Identifier: MIT
#include "experiments/language/csv.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;

using Record = std::vector<std::string>;

/// The records of a text; its errors go to `errors`.
std::vector<Record> records(const std::string& text, std::vector<int>* lines = nullptr) {
  std::istringstream in(text);
  Diagnostics errors;
  CsvReader csv("t.csv", in, errors);
  std::vector<Record> all;
  while (csv.next()) {
    all.push_back(csv.fields());
    if (lines != nullptr) lines->push_back(csv.at().line);
  }
  errors.throw_if_any();
  return all;
}

std::string error_of(const std::string& text) {
  try {
    records(text);
    return "";
  } catch (const SpecError& error) {
    return error.what();
  }
}

TEST(CsvReader, PartsFieldsAtCommasOutsideQuotes) {
  EXPECT_THAT(records("a,b\n1,2"), ElementsAre(Record{"a", "b"}, Record{"1", "2"}));
  EXPECT_THAT(records("\"a, b\",\"say \"\"no\"\"\",\"\"\n"),
              ElementsAre(Record{"a, b", "say \"no\"", ""}));
  EXPECT_THAT(records("1,,\n,\n"), ElementsAre(Record{"1", "", ""}, Record{"", ""}));
  EXPECT_THAT(records("a, b \n"), ElementsAre(Record{"a", " b "})) << "blanks are part of a field";
  EXPECT_THAT(records(""), ElementsAre());
}

TEST(CsvReader, CountsLines) {
  std::vector<int> lines;
  EXPECT_THAT(
      records("\xEF\xBB\xBF# made by hand\r\n\r\na,\"x\r\ny\n\n#z\"\r\n \t\n 1,2\r\n", &lines),
      ElementsAre(Record{"a", "x\ny\n\n#z"}, Record{" 1", "2"}));
  EXPECT_THAT(lines, ElementsAre(3, 8));
}

TEST(CsvReader, NamesMisplacedQuotes) {
  const std::string misplaced =
      "a quote inside a field (quote the whole field, and double the quotes in it)";
  EXPECT_EQ(error_of("a\n5\" disk,1\n"), "t.csv:2:1: error: " + misplaced);
  EXPECT_EQ(error_of("1, \"x\"\n"), "t.csv:1:1: error: " + misplaced);
  EXPECT_EQ(error_of("\"a\"b,1\n"), "t.csv:1:1: error: " + misplaced);
  EXPECT_EQ(error_of("a\n1,\"b\nc,d\n"), "t.csv:2:1: error: the quote is never closed");
  const std::string long_text(2 << 20, 'x');
  EXPECT_EQ(error_of("\"a\n" + long_text + "\nb\"\n"),
            "t.csv:1:1: error: the quote is never closed");
}

TEST(CsvLine, ReadsBack) {
  EXPECT_EQ(csv_line({"a", "", "b c"}), "a,,b c\n");
  const Record record{"a, b", "say \"no\"", "two\nlines", "", "\"", "#x"};
  EXPECT_EQ(csv_line({"#x", "#y"}), "\"#x\",#y\n");
  EXPECT_THAT(records(csv_line(record)), ElementsAre(record));
}

}  // namespace
}  // namespace paceline
