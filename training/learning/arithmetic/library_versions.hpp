// SPDX-License-Identifier: MIT
/// \file
/// The libraries that compute the arithmetic on the CPU.
#pragma once
#include <map>
#include <string>

namespace paceline {

/// Versions by library: of oneDNN at run time, of Eigen at compile time.
std::map<std::string, std::string> arithmetic_libraries();

}  // namespace paceline
