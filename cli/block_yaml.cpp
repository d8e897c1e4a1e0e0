// SPDX-License-Identifier: MIT
#include "cli/block_yaml.hpp"

namespace paceline {
namespace {

bool is_list_of_maps(const Tree& tree) {
  if (!tree.is_list() || tree.items.empty()) return false;
  for (const Tree& item : tree.items) {
    if (!item.is_map() || item.members.empty()) return false;
  }
  return true;
}

void write(const Tree& map, const std::string& indent, std::string& out) {
  for (const Member& member : map.members) {
    out += indent + to_flow(Tree::scalar(member.key)) + ":";
    if (member.value.is_map() && !member.value.members.empty()) {
      out += "\n";
      write(member.value, indent + "  ", out);
    } else if (is_list_of_maps(member.value)) {
      out += "\n";
      for (const Tree& item : member.value.items) {
        std::string block;
        write(item, indent + "    ", block);
        block[indent.size() + 2] = '-';
        out += block;
      }
    } else {
      out += " " + to_flow(member.value) + "\n";
    }
  }
}

}  // namespace

std::string block_yaml(const Tree& tree) {
  std::string out;
  write(tree, "", out);
  return out;
}

}  // namespace paceline
