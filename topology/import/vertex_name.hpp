// SPDX-License-Identifier: MIT
/// \file
/// Makes valid vertex names for a machine file.
#pragma once
#include <string>

namespace paceline {

/// `preferred` converted to a valid vertex name, or `otherwise` if the result is the name of a GPU
/// or a socket or has another meaning in YAML.
std::string vertex_name(const std::string& preferred, const std::string& otherwise);

}  // namespace paceline
