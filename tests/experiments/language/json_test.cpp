// SPDX-License-Identifier: MIT
#include "experiments/language/json.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Tree parsed(const std::string& text) {
  return parse_yaml("t.yaml", text);
}

std::string error_of(const std::string& text) {
  try {
    parse_json("t.json", text);
    return "";
  } catch (const SpecError& error) {
    return error.what();
  }
}

TEST(ToJson, KeepsOrderAndDistinguishesNumbersFromText) {
  const Tree tree = parsed("{z: 1, a: [1.5e3, -0, true, text, '7', ~], q: \"a\\\"b\\\\\\n\"}");
  EXPECT_EQ(to_json(tree), R"({"z": 1,"a": [1.5e3,-0,true,"text","7",null],"q": "a\"b\\\n"})");
}

TEST(ToJson, WritesOnlyWhatJsonCallsANumber) {
  for (const char* text : {"010", "+1", ".5", "5.", "-.5", "1.e5", "1e", "-", "0x10", "1_0", ".inf",
                           "nan", "25 MiB", "", "1e+", "--1"}) {
    EXPECT_EQ(to_json(Tree::scalar(text)), '"' + std::string(text) + '"');
  }
  for (const char* text : {"0", "-0", "10", "0.5", "1e5", "1E-5", "-1.25e+10", "-0.000"}) {
    EXPECT_EQ(to_json(Tree::scalar(text)), text);
  }
  for (const std::string& text : {std::string("00.5"), std::string("1.5.2"), std::string("-01"),
                                  std::string(400, '1') /* beyond the largest double */}) {
    EXPECT_EQ(to_json(Tree::scalar(text)), '"' + text + '"');
  }
  EXPECT_EQ(to_json(Tree::scalar(std::string(100, '1'))), std::string(100, '1'));
}

TEST(ToJson, IndentsOnRequest) {
  EXPECT_EQ(to_json(parsed("{a: [1, 2], b: {}, c: []}"), 2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

TEST(JsonText, EscapesWhatJsonRequires) {
  EXPECT_EQ(json_text("plain"), "\"plain\"");
  EXPECT_EQ(json_text("\\\"\n\t\x01"), R"("\\\"\n\t\u0001")");
  EXPECT_EQ(json_text("10 \u00b5s"), "\"10 \u00b5s\"");
  EXPECT_EQ(json_text("\xff"), "\"\uFFFD\"") << "no UTF-8";
}

TEST(ParseJson, ReadsWhatToJsonWrites) {
  for (const char* text :
       {"{a: [1.5e3, -0, 18446744073709551615, 123456789012345678901234567890]}",
        "{b: true, c: '7', d: ~, e: {f: [], g: {}}, 'h i': \"x\\n\\ty\"}", "[]", "-2"}) {
    const Tree tree = parsed(text);
    for (const int indent : {-1, 2}) {
      const Tree again = parse_json("t.json", to_json(tree, indent));
      EXPECT_EQ(to_json(again), to_json(tree)) << text;
    }
  }
  EXPECT_TRUE(parse_json("t.json", "\"7\"").quoted);
  EXPECT_FALSE(parse_json("t.json", "7").quoted);
}

TEST(ParseJson, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("{\"a\": 1,}"), "t.json: error: malformed JSON (at byte 9)");
  EXPECT_EQ(error_of("[1] [2]"), "t.json: error: malformed JSON (at byte 5)");
  EXPECT_EQ(error_of(""), "t.json: error: malformed JSON (at byte 1)");
  EXPECT_EQ(error_of("1e999").substr(0, 29), "t.json: error: malformed JSON");
  EXPECT_EQ(error_of("{\"a\": 1, \"a\": 2}"), "t.json: error: duplicate key 'a'");
}

}  // namespace
}  // namespace paceline
