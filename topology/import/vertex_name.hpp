// SPDX-License-Identifier: MIT
/// \file
/// What a device may be called in a machine file.
#pragma once
#include <string>

namespace paceline {

/// `wish` as vertices may be called, or `otherwise` where that is a GPU's or a socket's name, or
/// one that YAML takes for something else.
std::string vertex_name(const std::string& wish, const std::string& otherwise);

}  // namespace paceline
