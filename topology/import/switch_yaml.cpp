// SPDX-License-Identifier: MIT
#include "topology/import/switch_yaml.hpp"

#include <algorithm>
#include <map>

#include "topology/import/switch_tree.hpp"

namespace paceline {
namespace {

/// A list in Slurm's notation, or a list of YAML of such; "" for nothing.
std::string list_of(const Tree* value) {
  if (value == nullptr || value->kind == Tree::Kind::null) return "";
  if (value->is_scalar()) return value->text;
  std::string text;
  for (const Tree& item : value->items) {
    if (!item.is_scalar()) throw SpecError(item.at, "expected the name of a switch or a computer");
    text += (text.empty() ? "" : ",") + item.text;
  }
  if (!value->is_list()) throw SpecError(value->at, "expected a list of names");
  return text;
}

std::string text_of(const Tree& row, const char* key) {
  const Tree* value = row.find(key);
  if (value == nullptr || !value->is_scalar())
    throw SpecError(row.at, "expected a mapping with '" + std::string(key) + "'");
  return value->text;
}

/// The rows of a list; none if there is no list.
std::vector<Tree> rows_of(const Tree* list) {
  return list == nullptr ? std::vector<Tree>() : list->items;
}

/// Slurm: {tree: {switches: [{switch: s1, children: ...}, {switch: s2, nodes: ...}]}}, {block:
/// {blocks: [{block: b1, nodes: ...}]}}.
void read_slurm(const Tree& topology, SwitchTree& tree) {
  if (const Tree* switches = topology.find("tree")) {
    for (const Tree& row : rows_of(switches->find("switches"))) {
      tree.add_switch(text_of(row, "switch"), list_of(row.find("children")),
                      list_of(row.find("nodes")), row.at);
    }
  } else if (const Tree* blocks = topology.find("block")) {
    for (const Tree& row : rows_of(blocks->find("blocks")))
      tree.add_block(list_of(row.find("nodes")), row.at);
  }
}

bool is_default(const Tree& topology) {
  const Tree* value = topology.find("cluster_default");
  return value != nullptr && value->text == "true";
}

/// Of several topologies, the default of the cluster, or else the first tree or blocks.
const Tree& chosen(const Tree& root) {
  const auto any = std::ranges::find_if(root.items, is_default);
  if (any != root.items.end()) return *any;
  const auto network = std::ranges::find_if(root.items, [](const Tree& topology) {
    return topology.find("tree") != nullptr || topology.find("block") != nullptr;
  });
  return network == root.items.end() ? root.items.front() : *network;
}

/// topograph: {switches: {s1: {switches: [s2]}, s2: {}}, blocks: [{switch: s2, nodes: [...]}]}. The
/// computers of a switch are in its blocks.
void read_topograph(const Tree& root, SwitchTree& tree) {
  if (const Tree* switches = root.find("switches")) {
    for (const Member& row : switches->members) {
      const std::string names = list_of(row.value.find("switches"));
      const std::string nodes = list_of(row.value.find("nodes"));
      if (!names.empty() || !nodes.empty()) tree.add_switch(row.key, names, nodes, row.key_at);
    }
  }
  std::map<std::string, std::pair<std::string, Location>> leaves;
  for (const Tree& row : rows_of(root.find("blocks"))) {
    const std::string nodes = list_of(row.find("nodes"));
    tree.add_block(nodes, row.at);
    if (row.find("switch") == nullptr) continue;
    auto& [all, at] = leaves.try_emplace(text_of(row, "switch"), "", row.at).first->second;
    all += (all.empty() ? "" : ",") + nodes;
  }
  for (const auto& [name, leaf] : leaves) tree.add_switch(name, "", leaf.first, leaf.second);
}

}  // namespace

bool is_switch_yaml(const Tree& root) {
  if (root.is_list()) {
    return !root.items.empty() && std::ranges::all_of(root.items, [](const Tree& topology) {
      return topology.find("topology") != nullptr;
    });
  }
  const Tree* switches = root.find("switches");
  const Tree* blocks = root.find("blocks");
  return (switches != nullptr && switches->is_map()) || (blocks != nullptr && blocks->is_list());
}

NetworkInventory network_of_switch_yaml(const Tree& root) {
  SwitchTree tree;
  if (root.is_list()) {
    read_slurm(chosen(root), tree);
  } else {
    read_topograph(root, tree);
  }
  const Location file{root.at.file, 0, 0};
  return tree.network(root.is_list() ? "a Slurm topology" : "a topograph model", file);
}

}  // namespace paceline
