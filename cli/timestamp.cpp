// SPDX-License-Identifier: MIT
#include "cli/timestamp.hpp"

#include <array>
#include <ctime>

namespace paceline {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace paceline
