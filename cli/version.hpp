// SPDX-License-Identifier: MIT
/// \file
/// Which program this is: what results carry so that a reader can make them again.
#pragma once
#include <string>

namespace paceline {

std::string version();     ///< "0.1.0"
std::string git_commit();  ///< as it was when the build was configured, or "unknown"
std::string compiler();    ///< "GCC 12.2.0"

}  // namespace paceline
