// SPDX-License-Identifier: MIT
/// \file
/// Access to hwloc, a library opened at run time that describes the computer's hardware.
#pragma once
#include <optional>
#include <string>

namespace paceline {

/// hwloc's topology of this computer as XML; nothing if hwloc is not installed or fails.
std::optional<std::string> hwloc_xml_of_this_computer();

}  // namespace paceline
