// SPDX-License-Identifier: MIT
#include "topology/import/cpu_set.hpp"

#include <charconv>
#include <string_view>

namespace paceline {
namespace {

constexpr int kMostProcessors = 1 << 16;
constexpr std::size_t kLongestText = 1 << 16;

using Range = std::pair<int, int>;  ///< the first and the last

int cores_in(const std::vector<Range>& ranges) {
  int count = 0;
  for (const auto& [first, last] : ranges) count += last - first + 1;
  const auto size = [&](std::size_t i) { return ranges[i].second - ranges[i].first + 1; };
  // a virtual machine may keep one processor for its host: "64-127,192-254"
  const bool two_threads =
      ranges.size() == 2 && size(0) > 1 && (size(1) == size(0) || size(1) + 1 == size(0));
  if (two_threads) count = size(0);
  return count > 1 ? count : 0;
}

bool read_number(std::string_view& text, int& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0 || number >= kMostProcessors) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

}  // namespace

std::vector<Range> processor_ranges(const std::string& list) {
  std::vector<Range> ranges;
  std::string_view text(list);
  if (text.size() > kLongestText) return {};
  while (!text.empty()) {
    Range range;
    if (!read_number(text, range.first)) return {};
    range.second = range.first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!read_number(text, range.second) || range.second < range.first) return {};
    }
    if (!ranges.empty() && range.first <= ranges.back().second) return {};
    ranges.push_back(range);
    if (text.starts_with(','))
      text.remove_prefix(1);
    else if (!text.empty())
      return {};
  }
  return ranges;
}

int cores_in_list(const std::string& list) {
  return cores_in(processor_ranges(list));
}

int cores_in_mask(const std::string& mask) {
  if (mask.size() > kLongestText) return 0;
  std::vector<Range> ranges;
  int processor = 0;
  int digits = 0;  // digits read of the current 32-processor word
  for (auto digit = mask.rbegin(); digit != mask.rend(); ++digit) {
    if (*digit == ',') {
      processor += 4 * (8 - digits);  // a word may have fewer than 8 digits
      digits = 0;
      continue;
    }
    unsigned bits = 0;
    const char text = *digit;
    if (std::from_chars(&text, &text + 1, bits, 16).ec != std::errc{} || ++digits > 8) return 0;
    for (unsigned bit = 0; bit < 4; ++bit, ++processor) {
      if ((bits >> bit & 1U) == 0) continue;
      if (!ranges.empty() && ranges.back().second == processor - 1)
        ranges.back().second = processor;
      else
        ranges.emplace_back(processor, processor);
    }
  }
  return cores_in(ranges);
}

}  // namespace paceline
