// SPDX-License-Identifier: MIT
/// \file
/// Generates the reference page of the experiment file (docs/experiment-file.md) from the key
/// descriptions that the reader uses, so that the two cannot differ. Also generates tables of keys
/// for other pages.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/description.hpp"

namespace paceline {

/// A Markdown table of `keys` alone. Its links to families and units lead to `page`, or to the page
/// of the table itself if `page` is "".
std::string key_table(const std::vector<KeyInfo>& keys, const std::string& page);

/// `text` as a cell of a Markdown table: bars escaped and line breaks replaced by blanks.
std::string table_cell(const std::string& text);

/// A section about the keys of a separate file, or of a mapping that is read later.
struct KeySection {
  std::string heading;
  std::string intro;
  std::vector<KeyInfo> keys;
};

/// The page as Markdown: `intro` unchanged; a table of all keys (nested keys by dotted path) with
/// value, default and help; the `further` sections; for each family, a table of its variants and
/// their keys; and the units of each quantity.
std::string reference_page(const std::vector<KeyInfo>& keys, const std::string& intro,
                           const std::vector<KeySection>& further = {});

}  // namespace paceline
