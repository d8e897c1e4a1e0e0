// SPDX-License-Identifier: MIT
#include "topology/name_range.hpp"

#include <charconv>
#include <optional>

namespace paceline {

std::vector<NameAt> names_in(const NameAt& written, int most) {
  const std::string& text = written.text;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {written};
  const auto number_of = [](const std::string& name, std::string& stem) -> std::optional<int> {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    stem = name.substr(0, digits);
    int number = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + digits, end, number);
    if (digits == name.size() || error != std::errc{} || rest != end) return std::nullopt;
    return number;
  };
  std::string stem;
  std::string last_stem;
  const auto first = number_of(text.substr(0, dots), stem);
  const auto last = number_of(text.substr(dots + 2), last_stem);
  if (!first || !last || stem != last_stem || *last < *first || *last - *first >= most) {
    return {written};
  }
  std::vector<NameAt> names;
  for (int i = 0; i <= *last - *first; ++i) {  // counting to `*last` directly could overflow
    names.push_back({stem + std::to_string(*first + i), written.at});
  }
  return names;
}

}  // namespace paceline
