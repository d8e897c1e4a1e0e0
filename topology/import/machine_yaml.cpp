// SPDX-License-Identifier: MIT
//
// Writes a machine like a hand-written file: one line per group of GPUs, vertices or links, without
// keys at their defaults.
#include "topology/import/import.hpp"

namespace paceline {
namespace {

bool is_blank(const Member& member) {
  const Tree& value = member.value;
  if (value.kind == Tree::Kind::null || (value.is_scalar() && value.text.empty())) return true;
  if (value.is_list() && value.items.empty()) return member.key != "gpus" && member.key != "links";
  return (member.key == "count" && value.text == "1") ||
         (member.key == "clock" && value.text == "100 %") ||
         (member.key == "duplex" && value.text == "full") || value.text == "0 B/s";
}

Tree pruned(const Tree& tree) {
  Tree out = tree;
  out.items.clear();
  out.members.clear();
  for (const Tree& item : tree.items) out.items.push_back(pruned(item));
  for (const Member& member : tree.members) {
    if (!is_blank(member)) out.set(member.key, pruned(member.value));
  }
  return out;
}

void write(const Tree& map, const std::string& indent, std::string& out) {
  for (const Member& member : map.members) {
    const Tree& value = member.value;
    out += indent + to_flow(Tree::scalar(member.key)) + ":";
    if (value.is_map() && !value.members.empty()) {
      out += "\n";
      write(value, indent + "  ", out);
    } else if (value.is_list() && !value.items.empty() && value.items.front().is_map()) {
      out += "\n";
      for (const Tree& item : value.items) out += indent + "  - " + to_flow(item) + "\n";
    } else {
      out += " " + to_flow(value) + "\n";
    }
  }
}

}  // namespace

std::string machine_yaml(const ImportedMachine& machine, const std::string& command) {
  std::string out = "# " + machine.spec.title + "\n# " + command + "\n";
  for (const std::string& note : machine.notes) out += "# " + note + "\n";
  Tree tree = pruned(write_keys(machine.spec));
  if (tree.find("link_types") == nullptr) tree.set("link_types", Tree::map());
  write(tree, "", out);
  return out;
}

}  // namespace paceline
