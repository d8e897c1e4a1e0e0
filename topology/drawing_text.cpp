// SPDX-License-Identifier: MIT
#include <algorithm>

#include "topology/drawing.hpp"
#include "topology/link_table.hpp"

namespace paceline {
namespace {

void draw_below(const Machine& machine, const Forest& forest, int top, const std::string& indent,
                std::string& out) {
  const std::vector<Connection>& down = forest.below[static_cast<std::size_t>(top)];
  for (std::size_t i = 0; i < down.size(); ++i) {
    const bool last = i + 1 == down.size();
    out += indent + (last ? "└─ " : "├─ ") +
           machine.vertices()[static_cast<std::size_t>(down[i].to)].name + "  " +
           describe_connection(down[i]);
    if (const std::string what = describe_vertex(machine, down[i].to); !what.empty()) {
      out += "  " + what;
    }
    out += "\n";
    draw_below(machine, forest, down[i].to, indent + (last ? "   " : "│  "), out);
  }
}

/// The links outside the tree, one line per bandwidth: "nvlink 18.3 GB/s: gpu0-gpu1, gpu0-gpu2,
/// ...".
std::string draw_beside(const Machine& machine, const Forest& forest) {
  std::vector<std::pair<std::string, std::string>> groups;
  const auto name = [&](int v) { return machine.vertices()[static_cast<std::size_t>(v)].name; };
  for (const Connection& connection : forest.beside) {
    const std::string what = describe_connection(connection);
    const std::string pair = name(connection.from) + "-" + name(connection.to);
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == what; });
    if (group == groups.end()) {
      groups.emplace_back(what, pair);
    } else {
      group->second += ", " + pair;
    }
  }
  std::string out;
  for (const auto& [what, pairs] : groups) out.append(what).append(": ").append(pairs).append("\n");
  return out;
}

}  // namespace

std::string to_text(const Machine& whole) {
  const Machine& machine = whole.folded();
  std::string out = machine.name();
  if (machine.title() != machine.name()) out += ": " + machine.title();
  out += "\n";
  if (machine.kind() != Machine::Kind::described) {
    const std::string cores =
        machine.host().cores > 0 ? std::to_string(machine.host().cores) + " cores, " : "";
    out += "host  " + cores + "any number of workers\n";
    for (const LinkDirection& link : machine.links()) {
      out += "└─ " + link.name + "  " + gigabytes(link.capacity) + " shared by all, " +
             gigabytes(machine.host().copy_bandwidth) + " a copy\n";
    }
    return out;
  }
  const Forest forest = grow_forest(machine);
  for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
    if (machine.vertices()[v].kind != VertexKind::cpu) continue;
    const int id = static_cast<int>(v);
    out += machine.vertices()[v].name + "  " + describe_vertex(machine, id) + "\n";
    draw_below(machine, forest, id, "", out);
  }
  return out + draw_beside(machine, forest);
}

}  // namespace paceline
