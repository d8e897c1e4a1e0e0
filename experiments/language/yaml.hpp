// SPDX-License-Identifier: MIT
/// \file
/// Parses YAML text into a `Tree`. Only this file uses yaml-cpp; all other code works on trees.
#pragma once
#include <string>

#include "experiments/language/tree.hpp"

namespace paceline {

/// Parses the document in `text`; `name` is its name in errors. The text must be UTF-8 and hold one
/// document of at most 4 MiB, 64 levels and 200,000 values, counting copies by aliases. Duplicate
/// keys, merge keys (`<<`) and tags other than `!!str` are errors. Scalars keep their text as
/// written. An empty value, `~` and `null` become a null; an empty value is located at its key.
/// Throws SpecError.
Tree parse_yaml(const std::string& name, const std::string& text);

/// Reads a file of at most 16 MiB. Throws SpecError "path: error: cannot read (reason)".
std::string read_text_file(const std::string& path);

/// Reads and parses the document in a file. Throws SpecError.
Tree read_yaml_file(const std::string& path);

}  // namespace paceline
