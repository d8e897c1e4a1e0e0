// SPDX-License-Identifier: MIT
#include "experiments/language/units.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace paceline {
namespace {

using namespace literals;

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Multipliable = requires(A a, B b) { a* b; };
template <class A, class B>
concept Comparable = requires(A a, B b) { a < b; };

static_assert(Addable<Seconds, Seconds> && !Addable<Seconds, Bytes> && !Addable<Seconds, double>);
static_assert(Multipliable<Seconds, double> && !Multipliable<Bytes, Bytes>);
static_assert(!Comparable<Bytes, BytesPerSecond> && !std::is_convertible_v<double, Seconds>);
static_assert(!Multipliable<Watts, Watts> && !Addable<Watts, Joules>);
static_assert(!Addable<Dollars, DollarsPerHour>);
static_assert(sizeof(Seconds) == sizeof(double));

TEST(Units, OnlyProductsThatMeanSomethingExist) {
  EXPECT_EQ(Bytes{24} / BytesPerSecond{8}, Seconds{3});
  EXPECT_EQ(BytesPerSecond{8} * Seconds{3}, Bytes{24});
  EXPECT_EQ(Bytes{24} / Seconds{3}, BytesPerSecond{8});
  EXPECT_EQ(Flops{24} / FlopsPerSecond{8}, Seconds{3});
  EXPECT_EQ(Seconds{6} / Seconds{3}, 2.0);
  EXPECT_EQ(Watts{300} * Seconds{2}, Joules{600});
  EXPECT_EQ(DollarsPerHour{3} * Seconds{1800}, Dollars{1.5});
  EXPECT_EQ(2 * Seconds{3} - Seconds{1}, Seconds{5});
}

TEST(Units, SmallLiteralsAreExact) {
  EXPECT_EQ((10.0_us).value(), 1e-5);
  EXPECT_EQ((100.0_ms).value(), 0.1);
  EXPECT_EQ((25_MiB).value(), 26214400);
}

}  // namespace
}  // namespace paceline
