// SPDX-License-Identifier: MIT
#include "cli/data_folder.hpp"

namespace paceline {

std::filesystem::path data_folder(const std::string& name) {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  std::filesystem::path installed =
      program.parent_path().parent_path() / "share" / "paceline" / name;
  if (!unknown && std::filesystem::is_directory(installed, unknown)) return installed;
  return std::filesystem::path(PACELINE_SOURCE_DIR) / name;
}

}  // namespace paceline
