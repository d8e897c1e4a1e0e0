// SPDX-License-Identifier: MIT
/// \file
/// hwloc, opened at run time.
#pragma once
#include <optional>
#include <string>

namespace paceline {

/// What hwloc sees of this computer, as XML; nothing where it is not installed or fails.
std::optional<std::string> hwloc_xml_of_this_computer();

}  // namespace paceline
