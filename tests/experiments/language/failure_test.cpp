// SPDX-License-Identifier: MIT
// The words in which a user reads of an exception: ours, never the standard library's.
#include "experiments/language/failure.hpp"

#include <functional>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

std::string words_after(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return in_plain_words(error);
  }
  return "";
}

TEST(FailureTest, OurErrorsSpeakForThemselves) {
  EXPECT_EQ(words_after([] { throw SpecError("a.yaml:1:2: error: no"); }), "a.yaml:1:2: error: no");
  EXPECT_EQ(words_after([] { throw std::runtime_error("a worker is lost"); }), "a worker is lost");
  EXPECT_EQ(words_after([] { throw std::logic_error("no route"); }),
            "internal error: no route (please report it, with the file that led to it)");
}

TEST(FailureTest, TheStandardLibrarysTextsAreNotShown) {
  const std::string kInternal = "internal error (please report it, with the file that led to it)";
  const std::map<int, int> none;
  const std::vector<int> empty;
  EXPECT_EQ(words_after([&] { static_cast<void>(none.at(1)); }), kInternal);
  EXPECT_EQ(words_after([&] { static_cast<void>(empty.at(1)); }), kInternal);
  EXPECT_EQ(words_after([] { static_cast<void>(std::stoi("x")); }), kInternal);
  EXPECT_EQ(words_after([] { static_cast<void>(std::optional<int>().value()); }), kInternal);
  EXPECT_EQ(words_after([] { std::function<void()>()(); }), kInternal);
  EXPECT_EQ(words_after([] { throw std::overflow_error("Error in function boost::math::x"); }),
            kInternal);
}

TEST(FailureTest, MemoryThatIsNotThere) {
  EXPECT_EQ(words_after([] { throw std::bad_alloc(); }), "out of memory");
  EXPECT_EQ(words_after([] { throw std::length_error("vector::_M_default_append"); }),
            "out of memory");
}

}  // namespace
}  // namespace paceline
