// SPDX-License-Identifier: MIT
#include "topology/import/vertex_name.hpp"

namespace paceline {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string vertex_name(const std::string& preferred, const std::string& otherwise) {
  constexpr std::size_t kLongest = 48;
  std::string name = preferred.substr(0, kLongest);
  for (char& c : name) {
    const bool good = is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!good) c = '-';
  }
  const bool taken = name.starts_with("gpu") || name.starts_with("cpu") ||
                     name.starts_with("nvswitch") || name == "null" || name == "true" ||
                     name == "false";
  return name.empty() || !is_letter(name[0]) || taken ? otherwise : name;
}

}  // namespace paceline
