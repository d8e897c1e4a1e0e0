// SPDX-License-Identifier: MIT
#include <map>
#include <set>

#include "topology/drawing.hpp"
#include "topology/link_table.hpp"

namespace paceline {
namespace {

struct Look {
  const char* colour;
  const char* style;
};

Look look_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return {"#5a9e00", "solid"};
    case LinkKind::qpi:
    case LinkKind::upi:
      return {"#c0561d", "solid"};
    case LinkKind::ethernet:
    case LinkKind::infiniband:
      return {"#2f6db3", "solid"};
    case LinkKind::memory:
      return {"#8250a8", "dashed"};
    case LinkKind::pcie:
      break;
  }
  return {"#7a7f87", "solid"};
}

const char* look_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#e3f1cf\", color=\"#5a9e00\"";
    case VertexKind::cpu:
      return "shape=box, style=filled, fillcolor=\"#dce8f7\", color=\"#2f6db3\"";
    case VertexKind::nic:
      return "shape=ellipse, style=filled, fillcolor=\"#f3eadb\", color=\"#b08d4f\"";
    case VertexKind::network_switch:
      return "shape=box, style=filled, fillcolor=\"#dbeefa\", color=\"#2f6db3\"";
    case VertexKind::nvswitch:
      return "shape=box, style=filled, fillcolor=\"#cfe8a8\", color=\"#5a9e00\"";
    case VertexKind::host_bridge:
    case VertexKind::pcie_switch:
      break;
  }
  return "shape=box, style=filled, fillcolor=\"#eeeeee\", color=\"#9aa0a8\"";
}

/// Text inside a quoted DOT string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

/// Text inside an HTML-like label.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string vertex_lines(const Machine& machine) {
  std::string out;
  const auto vertices = machine.vertices();
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const std::string more = describe_vertex(machine, static_cast<int>(v));
    std::string label = "<b>" + escaped(vertices[v].name) + "</b>";
    if (!more.empty()) label += "<br/><font point-size=\"9\">" + escaped(more) + "</font>";
    out += "  v" + std::to_string(v) + " [label=<" + label + ">, " + look_of(vertices[v].kind) +
           "];\n";
  }
  return out;
}

/// One row for all vertices of a kind, in the order of their ids.
std::string rank_line(const Machine& machine, VertexKind kind, const char* rank) {
  std::string members;
  std::string previous;
  std::string order;
  const auto vertices = machine.vertices();
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v].kind != kind) continue;
    const std::string id = "v" + std::to_string(v);
    members += " " + id + ";";
    if (!previous.empty()) order += "  " + previous + " -- " + id + " [style=invis];\n";
    previous = id;
  }
  if (members.empty()) return "";
  return "  { rank=" + std::string(rank) + ";" + members + " }\n" +
         (kind == VertexKind::gpu ? order : "");
}

bool between_gpus(const Machine& machine, const Connection& connection) {
  const auto gpu = [&](int v) {
    return machine.vertices()[static_cast<std::size_t>(v)].kind == VertexKind::gpu;
  };
  return gpu(connection.from) && gpu(connection.to);
}

std::string edge_lines(const Machine& machine) {
  std::string out;
  for (const Connection& connection : connections_of(machine)) {
    const Look look = look_of(connection.kind);
    const bool gpus = between_gpus(machine, connection);
    out += "  v" + std::to_string(connection.from) + (gpus ? ":s" : "") + " -- v" +
           std::to_string(connection.to) + (gpus ? ":s" : "") + " [color=\"" + look.colour +
           "\", fontcolor=\"" + look.colour + "\", style=" + look.style +
           ", penwidth=" + std::to_string(connection.count > 1 ? 3 : 1) + ".4";
    if (gpus) {
      out += ", constraint=false";  // between GPUs there are too many for labels: see the legend
    } else {
      out += ", label=" + quoted(gigabytes(connection.capacity));
    }
    out += "];\n";
  }
  return out;
}

/// A row for each kind and bandwidth of link.
std::string legend(const Machine& machine) {
  std::string rows;
  std::set<std::string> seen;
  for (const Connection& connection : connections_of(machine)) {
    const std::string what = describe_connection(connection);
    if (!seen.insert(what).second) continue;
    const Look look = look_of(connection.kind);
    rows += "<td bgcolor=\"" + std::string(look.colour) + "\" width=\"18\"></td><td>" +
            escaped(what) + "  </td>";
  }
  return rows;
}

}  // namespace

std::string to_dot(const Machine& machine) {
  std::string out = "graph " + quoted(machine.name()) + " {\n";
  out +=
      "  graph [fontname=Helvetica, fontsize=12, labelloc=t, nodesep=0.3, ranksep=0.7, "
      "splines=true,\n    label=<<table border=\"0\" cellspacing=\"4\"><tr><td colspan=\"24\"><b>" +
      escaped(machine.name()) + "</b>: " + escaped(machine.title()) + "</td></tr>";
  if (!machine.links().empty()) out += "<tr>" + legend(machine) + "</tr>";
  out += "</table>>];\n";
  out += "  node [fontname=Helvetica, fontsize=11, margin=\"0.12,0.06\"];\n";
  out += "  edge [fontname=Helvetica, fontsize=9];\n";
  if (machine.kind() != Machine::Kind::described) {
    const std::string copy = machine.host().copy_bandwidth > BytesPerSecond{0}
                                 ? "a copy at most " + gigabytes(machine.host().copy_bandwidth)
                                 : "copies cost nothing";
    return out + "  workers [label=\"any number of workers\", " + look_of(VertexKind::gpu) +
           "];\n  host [label=\"host\", " + look_of(VertexKind::cpu) +
           "];\n  host -- workers [label=" + quoted(copy) + ", color=\"" +
           look_of(LinkKind::memory).colour + "\"];\n}\n";
  }
  out += vertex_lines(machine);
  out += rank_line(machine, VertexKind::cpu, "min");
  out += rank_line(machine, VertexKind::gpu, "max");
  return out + edge_lines(machine) + "}\n";
}

}  // namespace paceline
