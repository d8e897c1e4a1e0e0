// SPDX-License-Identifier: MIT
/// \file
/// Words that users bring from other tools, and names of what is not modelled, with what to write
/// instead. `unknown_name` looks a name up here before it suggests a similar one.
#pragma once
#include <string>
#include <string_view>

namespace paceline {

/// The hint for a name of this kind ("machine", "key", "block"), such as "a cluster is a machine of
/// machines: ...", or "" if the table does not have the name.
std::string instead_of(std::string_view what, std::string_view text);

}  // namespace paceline
