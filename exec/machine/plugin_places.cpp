// SPDX-License-Identifier: MIT
#include "exec/machine/plugin_places.hpp"

#include <algorithm>
#include <cstdlib>

namespace paceline {

std::vector<std::filesystem::path> plugin_places(const char* file, const char* variable) {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') return {named};
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  return {folder / file, folder.parent_path() / "lib" / "paceline" / file};
}

std::filesystem::path first_file(const std::vector<std::filesystem::path>& places) {
  const auto found = std::ranges::find_if(places, [](const std::filesystem::path& place) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(place, ignored);
  });
  return found == places.end() ? std::filesystem::path() : *found;
}

}  // namespace paceline
