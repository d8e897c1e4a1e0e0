// SPDX-License-Identifier: MIT
#include "topology/import/machine_keys.hpp"

namespace paceline {
namespace {

bool is_blank(const Member& member, bool of_link) {
  const Tree& value = member.value;
  if (value.kind == Tree::Kind::null || (value.is_scalar() && value.text.empty())) return true;
  if (value.is_list() && value.items.empty()) return member.key != "gpus" && member.key != "links";
  return (member.key == "count" && value.text == "1") ||
         (member.key == "clock" && value.text == "100 %") ||
         (member.key == "duplex" && value.text == "full") ||
         (member.key == "sockets" && of_link && value.text == "1") ||
         (member.key == "eager" && value.text == "0 B") || value.text == "0 B/s";
}

Tree pruned(const Tree& tree) {
  Tree out = tree;
  out.items.clear();
  out.members.clear();
  for (const Tree& item : tree.items) out.items.push_back(pruned(item));
  const bool of_link = tree.find("duplex") != nullptr;
  for (const Member& member : tree.members) {
    if (!is_blank(member, of_link)) out.set(member.key, pruned(member.value));
  }
  return out;
}

Tree network_keys(const NetworkSpec& network) {
  const Tree all = write_keys(network);
  Tree keys = Tree::map();
  const auto keep = [&](const char* key) { keys.set(key, pruned(*all.find(key))); };
  const bool pods = network.kind == NetworkShape::fat_tree;
  keep("kind");
  if (network.cards > 0) keep("cards");
  if (pods || network.kind == NetworkShape::leaf_spine) keep("nodes_per_leaf");
  if (pods) keep("leaves_per_pod");
  if (network.oversubscription > 1) keep("oversubscription");
  keep("link");
  return keys;
}

}  // namespace

Tree machine_keys(const MachineSpec& spec) {
  Tree tree = pruned(write_keys(spec));
  if (!spec.of) {
    if (tree.find("link_types") == nullptr) tree.set("link_types", Tree::map());
    return tree;
  }
  Tree cluster = Tree::map();
  for (const char* key : {"title", "of", "count"}) {
    if (const Tree* value = tree.find(key)) cluster.set(key, *value);
  }
  if (spec.network) cluster.set("network", network_keys(spec.network->network));
  return cluster;
}

}  // namespace paceline
