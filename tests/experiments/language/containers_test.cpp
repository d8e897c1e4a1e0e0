// SPDX-License-Identifier: MIT
#include "experiments/language/containers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/unit_table.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

template <class V>
V read(const std::string& yaml, Diagnostics& diagnostics) {
  V value{};
  const bool good = Value<V>::read(value, parse_yaml("t", yaml), diagnostics);
  EXPECT_EQ(good, diagnostics.empty());
  return value;
}

TEST(Lists, HoldValuesOfOneType) {
  Diagnostics none;
  const auto times = read<std::vector<Seconds>>("[1 s, 20 ms]", none);
  EXPECT_THAT(times, ElementsAre(Seconds{1}, Seconds{0.02}));
  EXPECT_EQ(to_flow(Value<std::vector<Seconds>>::write(times)), "[1 s, 20 ms]");
}

TEST(Lists, ReportEveryBadItem) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read<std::vector<int>>("[1, x, ~, 2.5]", diagnostics).empty());
  EXPECT_THAT(diagnostics.lines(), ElementsAre("t:1:5: error: 'x' is not an integer",
                                               "t:1:8: error: an item of the list has no value",
                                               "t:1:11: error: '2.5' is not an integer"));
}

TEST(Lists, DescribeTheTypesOfTheirElements) {
  const TypeInfo type = Value<std::vector<std::vector<Seconds>>>::type();
  EXPECT_EQ(type.name, "list of list of time");
  EXPECT_TRUE(type.list && type.element->list && !type.element->element->list);
}

TEST(Optionals, AreAbsentUntilRead) {
  Diagnostics none;
  EXPECT_EQ(Value<std::optional<int>>::write({}).kind, Tree::Kind::null);
  EXPECT_EQ(read<std::optional<int>>("5", none), 5);
}

TEST(Mappings, GoFromNamesOrNumbers) {
  Diagnostics none;
  const auto map = read<std::map<int, double>>("{3: 1.5, 1: 2}", none);
  EXPECT_EQ(map, (std::map<int, double>{{1, 2}, {3, 1.5}}));
  EXPECT_EQ(to_flow(Value<std::map<int, double>>::write(map)), "{1: 2, 3: 1.5}");
}

TEST(Mappings, ReportKeysAndValuesAtTheirPlaces) {
  Diagnostics diagnostics;
  read<std::map<int, double>>("{one: 1, 2: two, 3: , 03: 3}", diagnostics);
  EXPECT_THAT(
      diagnostics.lines(),
      ElementsAre("t:1:2: error: 'one' is not an integer", "t:1:13: error: 'two' is not a number",
                  "t:1:18: error: '3' has no value",
                  "t:1:23: error: '03' is not an integer (write it without the leading 0)"));
}

}  // namespace
}  // namespace paceline
