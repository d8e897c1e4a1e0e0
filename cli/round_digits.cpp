// SPDX-License-Identifier: MIT
#include "cli/round_digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace paceline {

Tree six_digits(Tree tree, bool bare_too) {
  for (Tree& item : tree.items) item = six_digits(std::move(item), bare_too);
  for (Member& member : tree.members) member.value = six_digits(std::move(member.value), bare_too);
  if (!tree.is_scalar() || tree.quoted) return tree;
  const std::size_t blank = std::min(tree.text.find(' '), tree.text.size());
  if (blank == tree.text.size() && !bare_too) return tree;
  double number = 0;
  const char* const end = tree.text.data() + blank;
  const auto [rest, error] = std::from_chars(tree.text.data(), end, number);
  if (error != std::errc{} || rest != end) return tree;
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                     std::chars_format::general, 6);
  tree.text = std::string(digits.data(), written.ptr) + tree.text.substr(blank);
  return tree;
}

}  // namespace paceline
