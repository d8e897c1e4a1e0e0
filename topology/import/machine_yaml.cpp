// SPDX-License-Identifier: MIT
//
// Writes a machine like a hand-written file: one line per group of GPUs, vertices or links, without
// keys at their defaults.
#include "topology/import/import.hpp"
#include "topology/import/machine_keys.hpp"

namespace paceline {
namespace {

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
  write(machine_keys(machine.spec), "", out);
  return out;
}

}  // namespace paceline
