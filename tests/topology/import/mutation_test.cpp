// SPDX-License-Identifier: MIT
// Damaged topology files are read or rejected; none causes a crash or a hang. The damage to each
// sample is deterministic. The sanitizer build checks memory errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

/// A small generator with the same numbers on every platform (Steele, Lea, Flood 2014: SplitMix64).
class Draws final {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    z ^= z >> 31U;
    return bound == 0 ? 0 : static_cast<std::size_t>(z % bound);
  }

 private:
  std::uint64_t state_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// The position of the next digit, or the end of the text.
std::size_t digit_after(const std::string& text, std::size_t from) {
  return std::min(text.find_first_of("0123456789", from), text.size());
}

/// Damages `text` in one of ten ways.
std::string damaged(std::string text, Draws& draws) {
  const std::size_t at = draws.below(text.size());
  std::vector<std::string> lines;
  switch (draws.below(10)) {
    case 0:  // change a byte
      if (!text.empty()) text[at] = static_cast<char>(draws.below(256));
      return text;
    case 1:  // remove a piece
      return text.erase(at, draws.below(64));
    case 2:  // cut off the end
      return text.substr(0, at);
    case 3:  // repeat a piece
      return text.insert(at, text.substr(at, draws.below(200)));
    case 4:  // insert a huge number
      return text.insert(digit_after(text, at), "99999999999999999999");
    case 5:  // change a number
      if (const std::size_t digit = digit_after(text, at); digit < text.size()) {
        text[digit] = static_cast<char>('0' + draws.below(10));
      }
      return text;
    case 6:  // swap lines
      lines = lines_of(text);
      std::swap(lines[draws.below(lines.size())], lines[draws.below(lines.size())]);
      return joined(lines);
    case 7:  // insert a control character
      return text.insert(at, 1, static_cast<char>(draws.below(32)));
    case 8:  // insert one in XML's words
      return text.insert(at, draws.below(2) == 0 ? "&#10;" : "&#13;");
    default:  // repeat a line many times
      lines = lines_of(text);
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(draws.below(lines.size())),
                   1 + draws.below(50), lines[draws.below(lines.size())]);
      return joined(lines);
  }
}

constexpr std::size_t kMutants = 48;  // of each sample

class Mutated : public testing::TestWithParam<std::string> {};

TEST_P(Mutated, is_a_machine_or_one_clear_error) {
  const std::string text = sample(GetParam());
  Draws draws(text.size());
  for (std::size_t i = 0; i < kMutants; ++i) {
    std::string mutant = text;
    const std::size_t times = 1 + draws.below(4);
    for (std::size_t k = 0; k < times; ++k) mutant = damaged(std::move(mutant), draws);
    SCOPED_TRACE("mutant " + std::to_string(i));
    try {
      const Machine machine = written_and_read(import_topology("mutant", mutant, {}));
      EXPECT_GT(machine.gpu_count(), 0);
      EXPECT_EQ(matrix_of(machine.folded()).rows.empty(), false);
    } catch (const SpecError& error) {
      const std::string what = error.what();
      EXPECT_THAT(what, testing::AnyOf(testing::StartsWith("mutant"),
                                       testing::StartsWith("paceline: error: ")));
      EXPECT_THAT(what, testing::HasSubstr("error: "));
    }
  }
}

/// The samples but for those with all that hwloc writes, most of which no importer reads.
std::vector<std::string> mutated_names() {
  std::vector<std::string> names = sample_names();
  std::erase_if(names, [](const std::string& name) { return name.ends_with("_all.xml"); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Mutated, testing::ValuesIn(mutated_names()),
                         [](const auto& row) { return as_test_name(row.param); });

TEST(Mutants, are_at_least_a_thousand) {
  EXPECT_GE(mutated_names().size() * kMutants, 1000U);
}

}  // namespace
}  // namespace paceline
