// SPDX-License-Identifier: MIT
/// \file
/// Presets: YAML files compiled into the program. Wherever a preset's name is allowed, so is a path
/// to a file.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/tree.hpp"

namespace paceline {

/// A preset: its name (the file name without ".yaml") and its text.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

/// The names of the presets in alphabetical order.
std::vector<std::string> preset_names(std::span<const EmbeddedFile> presets);

/// The text after the `#` of the first line, in which each preset says what it describes.
std::string first_comment(std::string_view text);

/// Resolves a path written at `at`: relative to the file that contains it, or to the working
/// directory if it came from the command line.
std::string path_from(const Location& at, const std::string& path);

/// Loads the document that `value` names: a preset, or a path (any name with '/' or ending in
/// ".yaml") resolved by `path_from`. `what` is the kind of document for messages, as in "unknown
/// machine 'dgx2'". Throws SpecError, at the name if there is no such preset or file.
Tree load_preset_or_path(const Tree& value, std::string_view what,
                         std::span<const EmbeddedFile> presets);

}  // namespace paceline
