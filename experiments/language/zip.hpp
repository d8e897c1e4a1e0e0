// SPDX-License-Identifier: MIT
/// \file
/// `zip:`, a list of rows that are merged over an experiment. Each row gives one point: `zip:
/// [{model: alexnet, batch: 512}, {model: vgg16, batch: 64}]`. Used only by axes.cpp, override.cpp
/// and sweep.cpp.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/tree.hpp"

namespace paceline {

/// The keys from the top of a document to a value.
using KeyPath = std::vector<std::string>;

/// True if a value in a row is a non-empty map without `kind`. Such a map is merged key by key; any
/// other value replaces the document's value as a whole.
bool is_nested_row(const Tree& tree);
/// "a.b.c".
std::string to_string(const KeyPath& path);

/// The paths of the values that a row sets. A map with a `kind` counts as one value.
std::vector<KeyPath> row_paths(const Tree& row);
/// The paths of the values that each row sets, by the first row. A key is one value in all rows
/// where it is one in any: of `[{machine: {of: dgx-h100, price: 3 USD/h}}, {machine: own.yaml}]`
/// the path is `machine`.
std::vector<KeyPath> zip_paths(const Tree& zip);

/// Notes the errors of `zip`: not a list of maps, no rows, or rows with different keys.
void check_rows(const Tree& zip, Diagnostics& diagnostics);

/// Merges `over` into `base`: nested maps key by key; other values are replaced. A map with a
/// `kind` replaces the old value. A map without `kind` that meets a bare name is merged into
/// `{kind: name}`; one with `of` replaces the name.
void merge(Tree& base, const Tree& over);

}  // namespace paceline
