// SPDX-License-Identifier: MIT
/// \file
/// Which libraries the CPU's arithmetic is done by.
#pragma once
#include <map>
#include <string>

namespace paceline {

/// Versions by name: of oneDNN as it runs, of Eigen as it was compiled.
std::map<std::string, std::string> arithmetic_libraries();

}  // namespace paceline
