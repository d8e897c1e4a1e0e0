// SPDX-License-Identifier: MIT
#include "experiments/language/ratio.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(Ratio, IsANumberOrAShare) {
  Diagnostics diagnostics;
  for (const auto& [text, expected] :
       {std::pair{"0.5", 0.5}, {"50 %", 0.5}, {"50%", 0.5}, {"2", 2.0}, {"200 %", 2.0}}) {
    Ratio value;
    ASSERT_TRUE(Value<Ratio>::read(value, Tree::scalar(text), diagnostics)) << text;
    EXPECT_EQ(value.value, expected) << text;
  }
  EXPECT_EQ(to_flow(Value<Ratio>::write({0.5})), "0.5");
  Ratio value;
  EXPECT_FALSE(Value<Ratio>::read(value, Tree::scalar("5 ms"), diagnostics));
  EXPECT_EQ(diagnostics.lines().front(),
            "input: error: '5 ms' is not a ratio (write a number such as 0.5, or a share such as "
            "50 %)");
}

}  // namespace
}  // namespace paceline
