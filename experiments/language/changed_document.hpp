// SPDX-License-Identifier: MIT
/// \file
/// A document in which some keys of another one are changed: `{of: dgx-a100, price: 2.75 USD/h}`.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "experiments/language/presets.hpp"

namespace paceline {

/// Loads a document as load_preset_or_path() does. A map with the key `of` is the document named
/// there with the map's other keys in place of its own: where both have a map, only the keys that
/// are written change; a key without a value is removed. A map without `of` is returned unchanged.
Tree load_changed(const Tree& value, std::string_view what, std::span<const EmbeddedFile> presets);

/// The name of such a document: "dgx-a100 with price, host".
std::string name_of_changed(const Tree& value);

}  // namespace paceline
