// SPDX-License-Identifier: MIT
/// \file
/// Names of features that do not exist yet, with the alternative to use for each. `unknown_name`
/// looks a name up here before it suggests a similar one.
#pragma once
#include <string>
#include <string_view>

namespace paceline {

/// The hint for a name of this kind ("machine", "key", "block"), such as "clusters are not modelled
/// yet; write ...", or "" if the table does not have the name.
std::string not_yet(std::string_view what, std::string_view text);

}  // namespace paceline
