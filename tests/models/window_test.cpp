// SPDX-License-Identifier: MIT
#include "models/window.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

void expect_extent(const Extent& extent, int before, int after, int output) {
  EXPECT_EQ(extent.before, before);
  EXPECT_EQ(extent.after, after);
  EXPECT_EQ(extent.output, output);
}

// SAME gives ceil(input / stride) and puts the odd row after. The first case is the reason for
// ResNet's own padding, which does not depend on the stride.
TEST(WindowTest, Paddings) {
  expect_extent(lay(224, 7, 2, Padding::symmetric), 3, 3, 112);
  expect_extent(lay(224, 7, 2, Padding::same), 2, 3, 112);
  expect_extent(lay(112, 3, 2, Padding::valid), 0, 0, 55);
  expect_extent(lay(55, 1, 2, Padding::same), 0, 0, 28);
  expect_extent(lay(32, 3, 2, Padding::same), 0, 1, 16);
  expect_extent(lay(2, 3, 1, Padding::valid), 0, 0, 0);
}

TEST(WindowTest, KernelsReadBack) {
  for (const char* text : {"3", "1x7", "7x1"}) {
    KernelSize kernel;
    Diagnostics diagnostics;
    ASSERT_TRUE(Value<KernelSize>::read(kernel, Tree::scalar(text), diagnostics));
    EXPECT_EQ(Value<KernelSize>::write(kernel).text, text);
  }
  for (const char* text : {"", "x3", "3x", "3x3x3", "-1", "1 x 7", "999999"}) {
    KernelSize kernel;
    Diagnostics diagnostics;
    EXPECT_FALSE(Value<KernelSize>::read(kernel, Tree::scalar(text), diagnostics)) << text;
  }
}

}  // namespace
}  // namespace paceline
