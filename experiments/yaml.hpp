// SPDX-License-Identifier: MIT
/// \file
/// Reads YAML text into a `Tree`. The only door to yaml-cpp: everything else sees trees.
#pragma once
#include <string>

#include "experiments/tree.hpp"

namespace paceline {

/// The document in `text`; `name` is what errors call it. The text must be UTF-8 and hold one
/// document of at most 4 MiB, 64 levels and 200,000 values, copies by aliases included. Duplicate
/// keys, merge keys (`<<`) and tags other than `!!str` are errors. A scalar keeps its text as
/// written; nothing, `~` and `null` become a null at the place of their key. Throws SpecError.
Tree parse_yaml(const std::string& name, const std::string& text);

/// Reads a file whole, up to 16 MiB. Throws SpecError "path: error: cannot read (reason)".
std::string read_text_file(const std::string& path);

/// The document in a file.
Tree read_yaml_file(const std::string& path);

}  // namespace paceline
