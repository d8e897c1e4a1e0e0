/// \file
/// Reads YAML text into a `Tree`. The only door to yaml-cpp: everything else sees trees.
#pragma once
#include <string>

#include "experiments/tree.hpp"

namespace paceline {

/// The document in `text`; `name` is what errors call it. Duplicate keys are errors, aliases are
/// copied (within a bound on the whole size), depth and size are bounded.
/// Throws SpecError when the text is not one YAML document.
Tree parse_yaml(const std::string& name, const std::string& text);

/// Reads a file whole. Throws SpecError "path: error: cannot open (reason)".
std::string read_text_file(const std::string& path);

/// The document in a file.
Tree read_yaml_file(const std::string& path);

}  // namespace paceline
