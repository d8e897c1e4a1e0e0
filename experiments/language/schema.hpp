// SPDX-License-Identifier: MIT
/// \file
/// Generates the JSON Schema of an experiment file from the key descriptions that the reader uses,
/// so that an editor completes keys and marks errors during typing.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/language/description.hpp"

namespace paceline {

/// Names that an editor offers for a key, by its path; other names, paths and mappings are valid
/// beside them.
using NamesOfKeys = std::map<std::string, std::vector<std::string>>;

/// A JSON Schema (draft 2020-12) of a document with these keys. Every key takes its value or a list
/// of such values (a sweep). The document may have `zip`; its rows may supply required keys.
/// `paceline check` covers the rules that a schema cannot express: bounds of quantities and rules
/// across keys.
std::string json_schema(const std::vector<KeyInfo>& keys, const std::string& title,
                        const NamesOfKeys& names = {});

/// A key's type, bounds and default in words: "time; > 0 s; default 10 ms". Also used by the
/// reference page's table cells.
std::string value_summary(const KeyInfo& key);

}  // namespace paceline
