// SPDX-License-Identifier: MIT
/// \file
/// The JSON Schema of an experiment file, made from the descriptions that the reader itself uses,
/// so that an editor completes keys and marks mistakes while the user types.
#pragma once
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// JSON Schema, draft 2020-12, of a document with these keys. Every key takes its value or a list
/// of such values (a sweep), and the document may have `zip`, whose rows may give required keys.
/// What a schema cannot say (a quantity's bounds, rules across keys) is left to `paceline check`.
std::string json_schema(const std::vector<KeyInfo>& keys, const std::string& title);

/// What a description adds to a key's help: "time; > 0 s; default 10 ms". Also used by the
/// reference page's table cells.
std::string value_summary(const KeyInfo& key);

}  // namespace paceline
