// SPDX-License-Identifier: MIT
#include "cli/timestamp.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace paceline {
namespace {

/// The time that SOURCE_DATE_EPOCH sets for reproducible files; else the present.
std::time_t recorded_time() {
  const char* set = std::getenv("SOURCE_DATE_EPOCH");
  const std::string_view text = set != nullptr ? set : "";
  std::time_t seconds = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = !text.empty() && error == std::errc{} && rest == text.data() + text.size();
  return whole ? seconds : std::time(nullptr);
}

}  // namespace

std::string utc_now() {
  const std::time_t now = recorded_time();
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace paceline
