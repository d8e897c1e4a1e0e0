// SPDX-License-Identifier: MIT
/// \file
/// The reference page of the experiment file (docs/experiment-file.md), made from the descriptions
/// that the reader itself uses, and what other pages of that kind need of it.
#pragma once
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// A Markdown table of `keys` alone. What it links to (families, units) is on `page`; "" for the
/// page that the table itself is on.
std::string key_table(const std::vector<KeyInfo>& keys, const std::string& page);

/// A cell of a Markdown table, which may hold no bar and no line break.
std::string table_cell(const std::string& text);

/// A section on keys that a file of their own has, or a mapping that is read later.
struct KeySection {
  std::string heading;
  std::string intro;
  std::vector<KeyInfo> keys;
};

/// Markdown: `intro` as it is, a table of every key (those of nested mappings by dotted path) with
/// its value, default and help, the `further` sections, a table of the variants and their keys for
/// each family, and the units of each kind of quantity.
std::string reference_page(const std::vector<KeyInfo>& keys, const std::string& intro,
                           const std::vector<KeySection>& further = {});

}  // namespace paceline
