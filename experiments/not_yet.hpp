// SPDX-License-Identifier: MIT
/// \file
/// What users ask for that is not there yet: one table of names, and for each what to use instead.
/// `unknown_name` looks here before it guesses.
#pragma once
#include <string>
#include <string_view>

namespace paceline {

/// "clusters are not modelled yet; write ..." for a name of this kind ("machine", "key", "block");
/// "" for a name that means nothing known.
std::string not_yet(std::string_view what, std::string_view text);

}  // namespace paceline
