// SPDX-License-Identifier: MIT
#include "topology/import/host_list.hpp"

#include <charconv>
#include <string_view>

namespace paceline {
namespace {

constexpr std::size_t kMostHosts = 262144;
constexpr std::size_t kMostDigits = 9;

class HostList final {
 public:
  HostList(std::string_view text, const Location& at) : text_(text), at_(at) {}
  std::vector<std::string> names();

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    constexpr std::size_t kShown = 60;
    throw SpecError(at_, "'" + std::string(text_.substr(0, kShown)) + "' is not a list of " +
                             "computers: " + why + " (such as n[1-4,7])");
  }
  std::vector<std::string_view> parts(std::string_view list) const;
  std::vector<std::string> numbers(std::string_view range) const;
  void append(std::vector<std::string>& names, const std::vector<std::string>& ends) const;

  std::string_view text_;
  const Location& at_;
};

/// The parts between commas outside of brackets.
std::vector<std::string_view> HostList::parts(std::string_view list) const {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  bool within = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if ((c == '[' && within) || (c == ']' && !within)) refuse("brackets do not match");
    if (c == '[' || c == ']') within = c == '[';
    if (c != ',' || (within && i < list.size())) continue;
    if (i > begin) found.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  if (within) refuse("brackets do not match");
  return found;
}

/// The numbers in "01-18,20", with their leading zeros.
std::vector<std::string> HostList::numbers(std::string_view range) const {
  std::vector<std::string> all;
  for (const std::string_view part : parts(range)) {
    const std::size_t dash = part.find('-');
    const std::string_view first = part.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : part.substr(dash + 1);
    std::size_t from = 0, to = 0;
    const auto number = [&](std::string_view digits, std::size_t& value) {
      const auto [rest, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return error == std::errc{} && rest == digits.data() + digits.size() &&
             digits.size() <= kMostDigits;
    };
    if (!number(first, from) || !number(last, to) || to < from) {
      refuse("'" + std::string(part.substr(0, 20)) + "' is no range of numbers");
    }
    if (to - from >= kMostHosts || all.size() + (to - from) >= kMostHosts) refuse("it is too long");
    for (std::size_t i = from; i <= to; ++i) {
      const std::string digits = std::to_string(i);
      const std::size_t zeros = first.size() > digits.size() ? first.size() - digits.size() : 0;
      all.push_back(std::string(zeros, '0') + digits);
    }
  }
  return all;
}

/// Puts each end behind each name.
void HostList::append(std::vector<std::string>& names, const std::vector<std::string>& ends) const {
  if (names.size() * ends.size() > kMostHosts) refuse("it is too long");
  std::vector<std::string> longer;
  for (const std::string& name : names) {
    for (const std::string& end : ends) longer.push_back(name + end);
  }
  names = std::move(longer);
}

std::vector<std::string> HostList::names() {
  std::vector<std::string> all;
  for (std::string_view part : parts(text_)) {
    std::vector<std::string> names{""};
    while (!part.empty()) {
      const std::size_t open = part.find('[');
      append(names, {std::string(part.substr(0, open))});
      if (open == std::string_view::npos) break;
      const std::size_t close = part.find(']');
      append(names, numbers(part.substr(open + 1, close - open - 1)));
      part.remove_prefix(close + 1);
    }
    if (all.size() + names.size() > kMostHosts) refuse("it is too long");
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> hosts_of(const std::string& list, const Location& at) {
  return HostList(list, at).names();
}

}  // namespace paceline
