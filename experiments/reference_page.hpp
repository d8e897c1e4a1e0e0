// SPDX-License-Identifier: MIT
/// \file
/// The reference page of the experiment file (docs/experiment-file.md), made from the descriptions
/// that the reader itself uses.
#pragma once
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// Markdown: `intro` as it is, a table of every key (those of nested mappings by dotted path) with
/// its value, default and help, a table of the variants and their keys for each family, and the
/// units of each kind of quantity.
std::string reference_page(const std::vector<KeyInfo>& keys, const std::string& intro);

}  // namespace paceline
