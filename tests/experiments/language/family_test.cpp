// SPDX-License-Identifier: MIT
#include "experiments/language/family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

using sample::Delay;
using sample::Exponential;
using testing::ElementsAre;

Choice<Delay> read(const std::string& yaml, Diagnostics& diagnostics) {
  Choice<Delay> choice;
  Value<Choice<Delay>>::read(choice, parse_yaml("t", yaml), diagnostics);
  return choice;
}

std::string problem(const std::string& yaml) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read(yaml, diagnostics));
  return join(diagnostics.lines(), "\n");
}

TEST(Choice, IsEmptyUntilChosen) {
  EXPECT_FALSE(Choice<Delay>());
  EXPECT_EQ(Choice<Delay>().kind(), "");
  EXPECT_EQ(Choice<Delay>("none").kind(), "none");
  EXPECT_FALSE(Choice<Delay>("exponential"));  // it has a key without a default
}

TEST(Choice, ABareNameOrAMapping) {
  Diagnostics none;
  EXPECT_EQ(read("none", none).kind(), "none");
  EXPECT_EQ(read("{kind: none}", none).kind(), "none");
  const Choice<Delay> choice = read("{mean: 3 ms, kind: exponential}", none);
  EXPECT_EQ(dynamic_cast<const Exponential&>(*choice).mean, Seconds{0.003});
  EXPECT_TRUE(none.empty());
}

TEST(Choice, IsWrittenAsShortAsItMay) {
  Diagnostics none;
  EXPECT_EQ(to_flow(Value<Choice<Delay>>::write(read("{kind: none}", none))), "none");
  EXPECT_EQ(to_flow(Value<Choice<Delay>>::write(read("{kind: exponential, mean: 3 ms}", none))),
            "{kind: exponential, mean: 3 ms, added: true}");
  EXPECT_EQ(Value<Choice<Delay>>::write({}).kind, Tree::Kind::null);
}

TEST(Choice, ErrorsStandAtTheKindTheKeyOrTheMapping) {
  EXPECT_EQ(problem("{kind: exponental}"),
            "t:1:8: error: unknown delay 'exponental' (did you mean 'exponential'? known: none, "
            "exponential, mixture)");
  EXPECT_EQ(problem("{mean: 3 ms}"),
            "t:1:1: error: missing key 'kind' (a delay: none, exponential, mixture)");
  EXPECT_EQ(problem("[none]"),
            "t:1:1: error: expected a delay: none, exponential, mixture, found '[none]'");
  EXPECT_EQ(problem("exponential"), "t:1:1: error: missing key 'mean'");
  EXPECT_EQ(problem("{kind: none, mean: 3 ms}"), "t:1:14: error: unknown key 'mean' (known: kind)");
  EXPECT_EQ(problem("{kind: mixture, parts: [none], weights: []}"),
            "t:1:1: error: 'parts' and 'weights' must be as many");
}

TEST(Family, ListsItsVariants) {
  const Family<Delay>& table = family<Delay>();
  EXPECT_THAT(table.names(), ElementsAre("none", "exponential", "mixture"));
  EXPECT_EQ(table.find("nothing"), nullptr);
  EXPECT_EQ(table.infos()[1].keys[0].help, "of the whole draw");
  EXPECT_EQ(Value<Choice<Delay>>::type().variants().size(), 3U);
}

}  // namespace
}  // namespace paceline
