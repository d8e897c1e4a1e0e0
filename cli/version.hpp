// SPDX-License-Identifier: MIT
/// \file
/// The version of this program, recorded in results so that they can be repeated.
#pragma once
#include <string>

namespace paceline {

std::string version();     ///< "0.1.0"
std::string git_commit();  ///< at configuration of the build, or "unknown"
std::string compiler();    ///< "GCC 12.2.0"

}  // namespace paceline
