// SPDX-License-Identifier: MIT
#include "cli/version.hpp"

namespace paceline {

std::string version() {
  return PACELINE_VERSION;
}

std::string git_commit() {
  return PACELINE_GIT;
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace paceline
