// SPDX-License-Identifier: MIT
//
// The inverse of the import: the matrix of a machine's graph, and its text.
#include <algorithm>
#include <map>
#include <queue>

#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

class MatrixOf final {
 public:
  explicit MatrixOf(const Machine& machine);
  TopoMatrix make();

 private:
  VertexKind kind(int v) const { return machine_.vertices()[static_cast<std::size_t>(v)].kind; }
  void add_chip_links();
  int nvlinks(int a, int b) const;
  /// Fills `before_`: for each vertex, the previous vertex on the path with the fewest hops.
  void search(int from);
  Distance distance(int from, int to) const;

  struct Way {
    int to = 0;
    bool leaves_socket = false;
  };
  const Machine& machine_;
  std::vector<std::vector<Way>> copy_links_;  // by vertex, without NVLinks
  std::vector<std::map<int, int>> nvlinks_;   // by vertex: number of NVLinks to each neighbour
  std::vector<int> devices_;                  // by row
  std::vector<int> before_;
  std::vector<bool> left_;  // by vertex: whether the path to it leaves a socket
};

MatrixOf::MatrixOf(const Machine& machine)
    : machine_(machine),
      copy_links_(machine.vertices().size()),
      nvlinks_(machine.vertices().size()) {
  for (const LinkDirection& link : machine.links()) {
    if (link.kind == LinkKind::nvlink) {
      nvlinks_[static_cast<std::size_t>(link.from)][link.to] += link.count;
      continue;
    }
    const bool leaves = link.kind == LinkKind::qpi || link.kind == LinkKind::upi;
    copy_links_[static_cast<std::size_t>(link.from)].push_back({link.to, leaves});
    if (link.half_duplex)
      copy_links_[static_cast<std::size_t>(link.to)].push_back({link.from, leaves});
  }
  add_chip_links();
  for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) devices_.push_back(machine.gpu_vertex(gpu));
  for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
    if (kind(static_cast<int>(v)) == VertexKind::nic) devices_.push_back(static_cast<int>(v));
  }
}

/// NVLink-C2C takes the place of PCIe between a GPU and its socket.
void MatrixOf::add_chip_links() {
  const std::vector<std::vector<Way>> by_pcie = copy_links_;
  const auto joins = [&](int gpu, int socket) {
    return kind(gpu) == VertexKind::gpu && kind(socket) == VertexKind::cpu &&
           by_pcie[static_cast<std::size_t>(gpu)].empty();
  };
  for (const LinkDirection& link : machine_.links()) {
    if (link.kind != LinkKind::nvlink) continue;
    if (!joins(link.from, link.to) && !joins(link.to, link.from)) continue;
    copy_links_[static_cast<std::size_t>(link.from)].push_back({link.to, false});
  }
}

int MatrixOf::nvlinks(int a, int b) const {
  int count = 0;
  for (const auto& [to, links] : nvlinks_[static_cast<std::size_t>(a)]) {
    if (to == b) count += links;
    if (kind(to) != VertexKind::nvswitch) continue;
    const std::map<int, int>& others = nvlinks_[static_cast<std::size_t>(b)];
    const auto found = others.find(to);
    if (found != others.end()) count += std::min(links, found->second);
  }
  return count;
}

void MatrixOf::search(int from) {
  before_.assign(copy_links_.size(), -1);
  left_.assign(copy_links_.size(), false);
  before_[static_cast<std::size_t>(from)] = from;
  std::queue<int> next({from});
  while (!next.empty()) {
    const int v = next.front();
    next.pop();
    const bool end = kind(v) == VertexKind::gpu || kind(v) == VertexKind::nic;
    if (end && v != from) continue;
    for (const Way& way : copy_links_[static_cast<std::size_t>(v)]) {
      const auto to = static_cast<std::size_t>(way.to);
      if (before_[to] >= 0) continue;
      before_[to] = v;
      left_[to] = left_[static_cast<std::size_t>(v)] || way.leaves_socket;
      next.push(way.to);
    }
  }
}

Distance MatrixOf::distance(int from, int to) const {
  if (before_[static_cast<std::size_t>(to)] < 0 || left_[static_cast<std::size_t>(to)]) {
    return Distance::system;
  }
  int sockets = 0;
  int bridges = 0;
  int switches = 0;
  for (int v = before_[static_cast<std::size_t>(to)]; v != from;
       v = before_[static_cast<std::size_t>(v)]) {
    sockets += kind(v) == VertexKind::cpu ? 1 : 0;
    bridges += kind(v) == VertexKind::host_bridge ? 1 : 0;
    switches += kind(v) == VertexKind::pcie_switch ? 1 : 0;
  }
  if (sockets > 0 && bridges > 0) return Distance::socket;
  if (sockets > 0 || bridges > 0) return Distance::host_bridge;
  return switches > 1 ? Distance::several_switches : Distance::one_switch;
}

TopoMatrix MatrixOf::make() {
  TopoMatrix matrix;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    TopoMatrix::Row row;
    row.gpu = kind(devices_[i]) == VertexKind::gpu;
    row.label = row.gpu ? "GPU" + std::to_string(i)
                        : machine_.vertices()[static_cast<std::size_t>(devices_[i])].name;
    row.cells.resize(devices_.size());
    search(devices_[i]);
    for (std::size_t j = 0; j < devices_.size(); ++j) {
      if (i == j) continue;
      MatrixCell cell;
      cell.nvlinks = nvlinks(devices_[i], devices_[j]);
      cell.distance = distance(devices_[i], devices_[j]);
      row.cells[j] = cell;
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace

std::string TopoMatrix::text() const {
  std::string out;
  for (const Row& row : rows) out += "\t" + row.label;
  out += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += rows[i].label;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const std::optional<MatrixCell>& cell = rows[i].cells[j];
      out += "\t" + (i == j ? " X " : cell ? to_string(*cell) : "?");
    }
    out += "\n";
  }
  return out;
}

TopoMatrix matrix_of(const Machine& machine) {
  return MatrixOf(machine).make();
}

}  // namespace paceline
