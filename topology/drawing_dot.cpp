// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <set>

#include "topology/drawing.hpp"
#include "topology/layout.hpp"

namespace paceline {
namespace {

struct Look {
  const char* colour;
  const char* style;
};

Look look_of(const Connection& connection) {
  switch (connection.kind) {
    case LinkKind::nvlink:
      return {connection.count > 1 ? "#2f6b00" : "#76b900", "solid"};
    case LinkKind::qpi:
    case LinkKind::upi:
      return {"#c0561d", "solid"};
    case LinkKind::ethernet:
    case LinkKind::roce:
    case LinkKind::infiniband:
    case LinkKind::omni_path:
    case LinkKind::efa:
    case LinkKind::tcpx:
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

/// Escapes text for a quoted DOT string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

/// Escapes text for an HTML-like label.
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

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string place(Point p) {
  return number(p.x) + "," + number(p.y);
}

std::string vertex_lines(const Machine& machine, const Layout& layout) {
  std::string out;
  const auto vertices = machine.vertices();
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const std::string more = describe_vertex(machine, static_cast<int>(v));
    std::string label = "<b>" + escaped(vertices[v].name) + "</b>";
    if (!more.empty()) label += "<br/><font point-size=\"9\">" + escaped(more) + "</font>";
    out += "  v" + std::to_string(v) + " [label=<" + label + ">, pos=\"" +
           place(layout.vertices[v]) + "\", " + look_of(vertices[v].kind) + "];\n";
  }
  return out;
}

/// A label with a background that covers its line.
std::string plate(const std::string& text) {
  return "<<table border=\"0\" cellspacing=\"0\" cellpadding=\"1\" bgcolor=\"white\"><tr><td>" +
         escaped(text) + "</td></tr></table>>";
}

std::string edge_lines(const Layout& layout) {
  std::string out;
  for (const Curve& curve : layout.curves) {
    const Connection& connection = curve.connection;
    const Look look = look_of(connection);
    std::string points;
    for (const Point& p : curve.points) points += (points.empty() ? "" : " ") + place(p);
    out += "  v" + std::to_string(connection.from) + " -- v" + std::to_string(connection.to) +
           " [pos=\"" + points + "\", color=\"" + look.colour + "\", fontcolor=\"" + look.colour +
           "\", style=" + look.style + ", penwidth=" + (connection.count > 1 ? "2.6" : "1.3") +
           ", label=" + plate(gigabytes(connection.capacity)) + ", lp=\"" + place(curve.label) +
           "\"];\n";
  }
  return out;
}

/// The legend: one swatch per kind and bandwidth of link.
std::string legend(const Machine& machine) {
  std::string cells;
  std::set<std::string> seen;
  for (const Connection& connection : connections_of(machine)) {
    const std::string what = describe_connection(connection);
    if (!seen.insert(what).second) continue;
    cells += "<td fixedsize=\"true\" width=\"20\" height=\"" +
             std::string(connection.count > 1 ? "8" : "4") + "\" bgcolor=\"" +
             look_of(connection).colour + "\"></td><td>" + escaped(what) + "   </td>";
  }
  return cells.empty() ? ""
                       : "<table border=\"0\" cellspacing=\"3\"><tr>" + cells + "</tr></table>";
}

std::string title(const Machine& machine, Point at) {
  std::string rows = "<tr><td><b>" + escaped(machine.name()) + "</b>" +
                     (machine.title() == machine.name() ? "" : ": " + escaped(machine.title())) +
                     "</td></tr>";
  if (const std::string swatches = legend(machine); !swatches.empty()) {
    rows += "<tr><td>" + swatches + "</td></tr>";
  }
  return "  title [shape=plain, fixedsize=false, pos=\"" + place(at) +
         "\", label=<<table border=\"0\" cellspacing=\"0\">" + rows + "</table>>];\n";
}

/// The drawing of an unbounded machine: any number of workers beside one host.
std::string unbounded(const Machine& machine) {
  const std::string copy = machine.host().copy_bandwidth > BytesPerSecond{0}
                               ? "a copy at most " + gigabytes(machine.host().copy_bandwidth)
                               : "copies cost nothing";
  const Look look = look_of(Connection{0, 0, LinkKind::memory, 1, true, {}});
  const std::string cores =
      machine.host().cores > 0 ? ", " + std::to_string(machine.host().cores) + " cores" : "";
  return "  workers [label=\"any number of workers\", width=2.2, pos=\"0,0\", " +
         std::string(look_of(VertexKind::gpu)) + "];\n  host [label=\"host" + cores +
         "\", pos=\"0,90\", " + look_of(VertexKind::cpu) +
         "];\n  host -- workers [pos=\"0,73 0,55 0,35 0,17\", label=" + quoted(copy) +
         ", lp=\"64,45\", style=" + look.style + ", color=\"" + look.colour + "\"];\n";
}

}  // namespace

std::string to_dot(const Machine& whole) {
  const Machine& machine = whole.folded();
  // nop2 keeps the given positions (layout.cpp); dot's own layouts make a mesh of NVLinks
  // unreadable
  std::string out = "graph " + quoted(machine.name()) + " {\n";
  out += "  graph [layout=nop2, fontname=Helvetica, pad=0.2];\n";
  out += "  node [fontname=Helvetica, fontsize=11, fixedsize=true, width=" +
         number(Layout::kWidth / 72) + ", height=" + number(Layout::kHeight / 72) + "];\n";
  out += "  edge [fontname=Helvetica, fontsize=8];\n";
  if (machine.kind() != Machine::Kind::described) {
    return out + title(machine, {0, 140}) + unbounded(machine) + "}\n";
  }
  const Layout layout = layout_of(machine);
  out += title(machine, {(layout.left + layout.right) / 2, layout.top + 40});
  return out + vertex_lines(machine, layout) + edge_lines(layout) + "}\n";
}

}  // namespace paceline
