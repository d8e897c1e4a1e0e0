// SPDX-License-Identifier: MIT
/// \file
/// A document in which some keys of another one are changed: `{of: dgx-a100, price: 2.75 USD/h}`.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "experiments/language/presets.hpp"

namespace paceline {

/// True if `value` changes another document: it has the key `of`.
bool has_of(const Tree& value);

/// Loads a document as load_preset_or_path() does. A map that `changes` is the document that its
/// `of` names or describes, with the map's other keys in place of its own, and so on if that
/// document changes another. Where both have a map, only the keys that are written change; a key
/// without a value is removed. Any other map is returned unchanged. Throws SpecError if a document
/// changes itself.
Tree load_changed(const Tree& value, std::string_view what, std::span<const EmbeddedFile> presets,
                  bool (*changes)(const Tree& value) = has_of);

/// The name of such a document: "dgx-a100 with price, host".
std::string name_of_changed(const Tree& value);

}  // namespace paceline
