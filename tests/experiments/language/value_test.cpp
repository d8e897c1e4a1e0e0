// SPDX-License-Identifier: MIT
#include "experiments/language/value.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

/// The value, or the error message without its position.
template <class V>
std::string read_back(const std::string& yaml) {
  Diagnostics diagnostics;
  V value{};
  if (Value<V>::read(value, parse_yaml("t", yaml), diagnostics)) {
    EXPECT_TRUE(diagnostics.empty());
    return to_flow(Value<V>::write(value));
  }
  EXPECT_EQ(diagnostics.count(), 1U);
  return diagnostics.lines().front().substr(std::string("t:1:1: error: ").size());
}

TEST(Integers, AreDecimalDigits) {
  EXPECT_EQ(read_back<int>("42"), "42");
  EXPECT_EQ(read_back<int>("-7"), "-7");
  EXPECT_EQ(read_back<int>("2147483647"), "2147483647");
  EXPECT_EQ(read_back<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(read_back<std::uint64_t>("18446744073709551615"), "18446744073709551615");
}

TEST(Integers, SayHowToWriteThem) {
  EXPECT_EQ(read_back<int>("1e3"), "'1e3' is not an integer (write it as 1000)");
  EXPECT_EQ(read_back<int>("010"), "'010' is not an integer (write it without the leading 0)");
  EXPECT_EQ(read_back<int>("0x10"), "'0x10' is not an integer (write it in decimal)");
  EXPECT_EQ(read_back<int>("1_000"), "'1_000' is not an integer (write it without '_')");
  EXPECT_EQ(read_back<int>("'5'"), "'\"5\"' is not an integer (quoted text is not a number)");
  EXPECT_EQ(read_back<int>("2147483648"),
            "'2147483648' is out of range (-2147483648 to 2147483647)");
  EXPECT_EQ(read_back<std::uint64_t>("-1"), "'-1' is out of range (0 to 18446744073709551615)");
  EXPECT_EQ(read_back<int>("5 s"), "'5 s' is not an integer");
  EXPECT_EQ(read_back<int>("1..4"),
            "'1..4' is not an integer (several values are a list: [1, 2, 3, 4])");
  EXPECT_EQ(read_back<int>("1..64"),
            "'1..64' is not an integer (several values are a list: [1, 2, ..., 64])");
}

TEST(Numbers, AreFiniteAndPlain) {
  EXPECT_EQ(read_back<double>("0.1"), "0.1");
  EXPECT_EQ(read_back<double>("-1.5e-7"), "-1.5e-07");
  EXPECT_EQ(read_back<double>("1e3"), "1000");
  EXPECT_EQ(read_back<double>(".nan"), "'.nan' is not a number (it must be finite)");
  EXPECT_EQ(read_back<double>("inf"), "'inf' is not a number (it must be finite)");
  EXPECT_EQ(read_back<double>("010"), "'010' is not a number (write it without the leading 0)");
  EXPECT_EQ(read_back<double>("infinity"), "'infinity' is not a number");
}

TEST(PrintNumber, IsReadable) {
  EXPECT_EQ(print_number(0), "0");
  EXPECT_EQ(print_number(100000), "100000");
  EXPECT_EQ(print_number(0.0001), "0.0001");
  EXPECT_EQ(print_number(1e-9), "1e-09");
  EXPECT_EQ(print_number(1e300), "1e+300");
}

TEST(PrintNumber, ReadsBackExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600) - 364);
    EXPECT_EQ(std::stod(print_number(value)), value);
  }
  EXPECT_EQ(print_number(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(Booleans, AreTrueOrFalse) {
  EXPECT_EQ(read_back<bool>("true"), "true");
  EXPECT_EQ(read_back<bool>("yes"), "'yes' is neither true nor false");
  EXPECT_EQ(read_back<bool>("'true'"), "'\"true\"' is neither true nor false");
}

TEST(Texts, MayLookLikeNumbers) {
  EXPECT_EQ(read_back<std::string>("resnet50"), "resnet50");
  EXPECT_EQ(read_back<std::string>("8"), "\"8\"");
  EXPECT_EQ(read_back<std::string>("''"), "the text is empty");
  EXPECT_EQ(read_back<std::string>("[a]"), "'[a]' is not text");
  EXPECT_EQ(read_back<std::string>("\"a\\0b\""), "'a\\x00b' contains a control character");
}

TEST(Names, AreOfTheTable) {
  EXPECT_EQ(read_back<sample::Precision>("fp16"), "fp16");
  EXPECT_EQ(read_back<sample::Precision>("'fp16'"), "fp16");
  EXPECT_EQ(read_back<sample::Precision>("FP16"),
            "unknown name 'FP16' (did you mean 'fp16'? known: fp32, fp16, bf16)");
}

TEST(AnyTree, IsKeptWithItsPlaces) {
  Diagnostics diagnostics;
  Tree out;
  EXPECT_TRUE(Value<Tree>::read(out, parse_yaml("t", "{a: [1, {b: c}]}"), diagnostics));
  EXPECT_EQ(to_flow(out), "{a: [1, {b: c}]}");
  EXPECT_EQ(to_string(out.find("a")->items[1].at), "t:1:9");
}

}  // namespace
}  // namespace paceline
