// SPDX-License-Identifier: MIT
#include "experiments/language/zip.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace paceline {
namespace {

void add_paths(const Tree& map, KeyPath& path, std::vector<KeyPath>& paths) {
  for (const Member& member : map.members) {
    path.push_back(member.key);
    if (is_nested_row(member.value)) {
      add_paths(member.value, path, paths);
    } else {
      paths.push_back(path);
    }
    path.pop_back();
  }
}

/// The paths of a row's values, down to those that are `whole`.
std::vector<KeyPath> row_paths(const Tree& row, const std::set<KeyPath>& whole) {
  std::vector<KeyPath> paths;
  for (const KeyPath& path : row_paths(row)) {
    KeyPath top;
    for (const std::string& key : path) {
      top.push_back(key);
      if (whole.contains(top)) break;
    }
    if (std::ranges::find(paths, top) == paths.end()) paths.push_back(std::move(top));
  }
  return paths;
}

/// The paths of all values in the rows.
std::set<KeyPath> values_of(const Tree& zip) {
  std::set<KeyPath> values;
  for (const Tree& row : zip.items) {
    for (KeyPath& path : row_paths(row)) values.insert(std::move(path));
  }
  return values;
}

std::string listed(const std::vector<KeyPath>& paths) {
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const KeyPath& path : paths) names.push_back(to_string(path));
  return join(names);
}

}  // namespace

bool is_nested_row(const Tree& tree) {
  return tree.is_map() && !tree.members.empty() && tree.find("kind") == nullptr;
}

std::string to_string(const KeyPath& path) {
  return join(path, ".");
}

std::vector<KeyPath> row_paths(const Tree& row) {
  std::vector<KeyPath> paths;
  KeyPath path;
  add_paths(row, path, paths);
  return paths;
}

std::vector<KeyPath> zip_paths(const Tree& zip) {
  return row_paths(zip.items.front(), values_of(zip));
}

void check_rows(const Tree& zip, Diagnostics& diagnostics) {
  if (!zip.is_list() || zip.items.empty()) {
    diagnostics.error(zip.at,
                      "'zip' must be a list of mappings, such as [{batch: 32}, {batch: 64}]");
    return;
  }
  const std::set<KeyPath> whole = values_of(zip);
  const std::vector<KeyPath> first = row_paths(zip.items.front(), whole);
  std::vector<KeyPath> expected = first;
  std::sort(expected.begin(), expected.end());
  for (const Tree& row : zip.items) {
    std::vector<KeyPath> paths = row_paths(row, whole);
    if (!row.is_map() || paths.empty()) {
      diagnostics.error(row.at, "a row of 'zip' must be a mapping of keys to values");
      continue;
    }
    std::sort(paths.begin(), paths.end());
    if (paths != expected && !first.empty()) {
      diagnostics.error(row.at, "this row of 'zip' sets " + listed(row_paths(row, whole)) +
                                    " (every row must set the keys of the first: " + listed(first) +
                                    ")");
    }
  }
}

void merge(Tree& base, const Tree& over) {
  std::map<std::string_view, std::size_t> places;  // a linear search per member would be quadratic
  for (std::size_t i = 0; i < base.members.size(); ++i) places.emplace(base.members[i].key, i);
  std::vector<const Member*> added;
  for (const Member& member : over.members) {
    const auto found = places.find(member.key);
    if (found == places.end()) {
      added.push_back(&member);
      continue;
    }
    Tree& old = base.members[found->second].value;
    const bool names = old.is_scalar() && member.value.find("of") == nullptr;
    if (is_nested_row(member.value) && (old.is_map() || names)) {
      old = as_variant(old);
      merge(old, member.value);
    } else {
      old = member.value;
    }
  }
  for (const Member* member : added) base.members.push_back(*member);
}

}  // namespace paceline
