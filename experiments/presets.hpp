// SPDX-License-Identifier: MIT
/// \file
/// Presets are YAML files compiled into the program. Anywhere a preset's name stands, a path works.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tree.hpp"

namespace paceline {

/// A preset: its name (the file's without ".yaml") and its text.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

/// The presets' names, in alphabetical order.
std::vector<std::string> preset_names(std::span<const EmbeddedFile> presets);

/// The text after the first line's `#`: a preset opens by saying in a line what it is.
std::string first_comment(std::string_view text);

/// A path as written at `at`: relative to the file in which it stands, or to the working directory
/// when it came from the command line.
std::string path_from(const Location& at, const std::string& path);

/// The document that `value` names: a preset, or a path (anything with '/' or ending in .yaml),
/// as `path_from` takes it. Throws SpecError at the name otherwise;
/// `what` is the kind of thing, as in "unknown machine 'dgx2'".
Tree load_preset_or_path(const Tree& value, std::string_view what,
                         std::span<const EmbeddedFile> presets);

}  // namespace paceline
