// SPDX-License-Identifier: MIT
/// \file
/// Trees as JSON text, and back. The only door to nlohmann/json.
#pragma once
#include <string>
#include <string_view>

#include "experiments/language/tree.hpp"

namespace paceline {

/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

/// The tree as JSON with the keys in their order; scalars that read as numbers or booleans are
/// bare, and numbers keep their digits. `indent` < 0: on one line.
std::string to_json(const Tree& tree, int indent = -1);

/// The JSON document in `text`; `name` is what errors call it. Numbers keep their digits. Throws
/// SpecError, also for an object with a key twice.
Tree parse_json(const std::string& name, const std::string& text);

}  // namespace paceline
