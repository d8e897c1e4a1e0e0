// SPDX-License-Identifier: MIT
/// \file
/// `zip:`, a list of rows that are merged over an experiment, each giving a point of its own:
/// `zip: [{model: alexnet, batch: 512}, {model: vgg16, batch: 64}]`. Used by sweep.cpp alone.
#pragma once
#include <string>
#include <vector>

#include "experiments/tree.hpp"

namespace paceline {

/// The keys from the top of a document to a value.
using KeyPath = std::vector<std::string>;

/// Whether a row's value holds keys of its own, of which each replaces one of the document's; a
/// part with a `kind` replaces the whole.
bool is_nested_row(const Tree& tree);
/// "a.b.c".
std::string to_string(const KeyPath& path);

/// What a row sets: the paths down to its values. A map with a `kind` counts as one value.
std::vector<KeyPath> row_paths(const Tree& row);

/// Notes what is wrong with the rows: no list of maps, none, or rows with different keys.
void check_rows(const Tree& zip, Diagnostics& diagnostics);

/// Merges `over` into `base`: nested maps key by key, all else replaced. A map with a `kind`
/// replaces what was there; one without is merged into a bare name as into `{kind: name}`.
void merge(Tree& base, const Tree& over);

}  // namespace paceline
