// SPDX-License-Identifier: MIT
//
// Checks a machine's description and builds the graph. Each error is noted at its position; the
// steps continue after an error as far as they can, so that the user sees all errors.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "experiments/language/changed_document.hpp"
#include "topology/graph.hpp"
#include "topology/name_range.hpp"
#include "topology/staging.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostVertices = 4096;  // of a computer
constexpr std::size_t kMostLinks = 65536;
constexpr std::size_t kMoreInSample = 16;

using Ids = std::map<std::string, int, std::less<>>;

std::string unknown_vertex(const std::string& name, const Ids& ids) {
  std::vector<std::string> known;
  for (const auto& [other, id] : ids) known.push_back(other);
  constexpr std::size_t kListed = 32;  // a longer list would hide the problem
  if (known.size() <= kListed) return unknown_name("vertex", name, known);
  const std::string near = did_you_mean(name, known);
  return "unknown vertex '" + name + "'" + (near.empty() ? "" : " (did you mean '" + near + "'?)");
}

/// "gpu4, gpu5 and 6 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.size() <= kShown) return join(names);
  return join({names.begin(), names.begin() + kShown}) + " and " +
         std::to_string(names.size() - kShown) + " more";
}

/// Reads a GPU; nothing after noting an error.
std::optional<GpuSpec> read_gpu(const Tree& model, Diagnostics& diagnostics) {
  if (!model.is_map()) {
    const std::vector<std::string> presets = preset_names(embedded_gpus());
    const bool path = model.text.find('/') != std::string::npos || model.text.ends_with(".yaml");
    if (!model.is_scalar() || (!path && !std::count(presets.begin(), presets.end(), model.text))) {
      diagnostics.error(model.at, unknown_name("GPU", to_flow(model), presets));
      return std::nullopt;
    }
  }
  const Tree tree = load_changed(model, "GPU", embedded_gpus());
  GpuSpec gpu;
  if (!read_keys(gpu, tree, diagnostics)) return std::nullopt;
  return gpu;
}

}  // namespace

/// The steps of the build, in order; each may rely on the earlier ones.
class MachineBuilder final {
 public:
  MachineBuilder(const MachineSpec& spec, Diagnostics& diagnostics)
      : spec_(spec), diagnostics_(diagnostics), errors_before_(diagnostics.count()) {}

  std::shared_ptr<Machine::Graph> build(const std::string& name);

 private:
  /// A sample of a cluster may have more vertices and links than a computer.
  std::size_t most(std::size_t of_computer) const {
    return of_computer * (spec_.computers.empty() ? 1 : kMoreInSample);
  }
  bool good() const { return diagnostics_.count() == errors_before_; }
  void error(const Location& at, const std::string& message) { diagnostics_.error(at, message); }
  /// Returns the vertex's id, or -1 after noting an error.
  int add_vertex(const std::string& name, VertexKind kind, const Location& at);
  int vertex(const NameAt& name);
  void add_gpus_and_sockets();
  void add_switches();
  void add_links();
  void add_link(const LinkTypeSpec& type, const LinksSpec& row, const NameAt& other);
  void add_direction(const LinkTypeSpec& type, int count, int from, int to);
  void add_peer_pairs();
  void find_computers();
  void check_connected();
  void find_sockets();
  int computer_of(int vertex) const {
    return graph_->computer_of[static_cast<std::size_t>(vertex)];
  }

  const MachineSpec& spec_;
  Diagnostics& diagnostics_;
  std::size_t errors_before_;
  std::shared_ptr<Machine::Graph> graph_ = std::make_shared<Machine::Graph>();
  Ids ids_;
  std::vector<Location> places_;  // by vertex
  std::set<std::tuple<std::string, int, int>> linked_;
};

int MachineBuilder::add_vertex(const std::string& name, VertexKind kind, const Location& at) {
  if (graph_->vertices.size() >= most(kMostVertices)) {
    error(at, "too many vertices (at most " + std::to_string(most(kMostVertices)) + ")");
    return -1;
  }
  const int id = static_cast<int>(graph_->vertices.size());
  if (!ids_.emplace(name, id).second) {
    error(at, "vertex '" + name + "' already exists");
    return -1;
  }
  graph_->vertices.push_back({name, kind});
  places_.push_back(at);
  return id;
}

int MachineBuilder::vertex(const NameAt& name) {
  const auto found = ids_.find(name.text);
  if (found != ids_.end()) return found->second;
  error(name.at, unknown_vertex(name.text, ids_));
  return -1;
}

void MachineBuilder::add_gpus_and_sockets() {
  for (const GpusSpec& row : spec_.gpus) {
    std::optional<GpuSpec> gpu = read_gpu(row.model, diagnostics_);
    if (gpu && (spec_.price || row.price)) gpu->price = spec_.price ? spec_.price : row.price;
    if (gpu) gpu = at_clock(*gpu, row.clock);
    for (int i = 0; i < row.count; ++i) {
      const std::string name = "gpu" + std::to_string(graph_->gpus.size());
      const int id = add_vertex(name, VertexKind::gpu, row.model.at);
      if (id < 0) return;
      graph_->gpus.push_back(gpu.value_or(GpuSpec{}));
    }
  }
  const Location at = spec_.gpus.empty() ? Location{} : spec_.gpus.front().model.at;
  for (int i = 0; i < spec_.host.sockets; ++i) {
    const int id = add_vertex("cpu" + std::to_string(i), VertexKind::cpu, at);
    if (id < 0) return;
    graph_->host_vertices.push_back(id);
  }
  const HostSpec& host = spec_.host;
  graph_->host.sockets = host.sockets;
  graph_->host.copy_bandwidth = host.copy_bandwidth;
  graph_->host.pageable_bandwidth = host.pageable_bandwidth;
  graph_->host.dispatch = host.dispatch;
  graph_->host.decision_latency = host.decision_latency;
  graph_->host.timer_error = host.timer_error;
  for (const NodeSpec& computer : graph_->computers) {
    graph_->add_to_host(computer.host, 1);
  }
}

/// The computer of each GPU and socket, which are numbered through; the rest needs none.
void MachineBuilder::find_computers() {
  graph_->computer_of.assign(graph_->vertices.size(), 0);
  auto gpu = graph_->computer_of.begin();
  auto socket = gpu + graph_->shown_gpus;
  for (std::size_t number = 0; number < graph_->computers.size(); ++number) {
    const NodeSpec& computer = graph_->computers[number];
    gpu = std::fill_n(gpu, computer.gpus, static_cast<int>(number));
    socket = std::fill_n(socket, computer.host.sockets, static_cast<int>(number));
  }
  graph_->staging_links.assign(graph_->computers.size(), -1);
  for (std::size_t id = 0; id < graph_->links.size(); ++id) {
    const LinkDirection& link = graph_->links[id];
    if (link.from != link.to) continue;
    graph_->staging_links[static_cast<std::size_t>(computer_of(link.from))] = static_cast<int>(id);
  }
}

void MachineBuilder::add_switches() {
  for (const VerticesSpec& row : spec_.vertices) {
    for (const NameAt& name : row.names) {
      if (row.kind == VertexKind::gpu || row.kind == VertexKind::cpu) {
        error(name.at,
              "GPUs and sockets have names already (gpu0, cpu0, ...; see 'gpus' and "
              "'host: sockets')");
        break;
      }
      if (add_vertex(name.text, row.kind, name.at) < 0 &&
          graph_->vertices.size() >= most(kMostVertices)) {
        return;
      }
    }
  }
}

void MachineBuilder::add_direction(const LinkTypeSpec& type, int count, int from, int to) {
  LinkDirection link{figures_of(type, count), {}, from, to};
  link.name = name_of_link(graph_->vertex(from).name, graph_->vertex(to).name, link.half_duplex);
  graph_->links.push_back(std::move(link));
}

void MachineBuilder::add_link(const LinkTypeSpec& type, const LinksSpec& row, const NameAt& other) {
  const int from = vertex(row.from);
  const int to = vertex(other);
  if (from < 0 || to < 0) return;
  if (row.staging) {
    add_direction(type, 1, from, to);
    return;
  }
  if (from == to) {
    error(other.at, "'" + other.text + "' is linked to itself");
    return;
  }
  if (!linked_.emplace(row.type.text, std::min(from, to), std::max(from, to)).second) {
    error(other.at, "'" + row.from.text + "' and '" + other.text + "' are linked by '" +
                        row.type.text + "' already (several links are one with 'count')");
    return;
  }
  add_direction(type, row.count, from, to);
  if (type.duplex == Duplex::full) add_direction(type, row.count, to, from);
}

void MachineBuilder::add_links() {
  std::vector<std::string> types;
  types.reserve(spec_.link_types.size());
  for (const auto& [name, type] : spec_.link_types) types.push_back(name);
  for (const LinksSpec& row : spec_.links) {
    const auto type = spec_.link_types.find(row.type.text);
    if (type == spec_.link_types.end()) {
      error(row.type.at, unknown_name("link type", row.type.text, types));
      continue;
    }
    for (const NameAt& written : row.to) {
      for (const NameAt& other : names_in(written, static_cast<int>(kMostVertices))) {
        if (graph_->links.size() >= most(kMostLinks)) {
          error(other.at, "too many links (at most " + std::to_string(most(kMostLinks) / 2) + ")");
          return;
        }
        add_link(type->second, row, other);
        graph_->rows.resize(graph_->links.size(), static_cast<int>(&row - spec_.links.data()));
      }
    }
  }
  if (!spec_.computers.empty()) return;  // an expanded cluster lists host memory among its links
  const int socket = graph_->host_vertices.front();
  if (const auto memory = staging_link(graph_->computers.front()))
    add_direction(*memory, 1, socket, socket);
}

void MachineBuilder::add_peer_pairs() {
  for (const std::vector<NameAt>& pair : spec_.peer_pairs) {
    if (pair.size() != 2) {
      error(pair.empty() ? Location{} : pair.front().at, "a pair has two GPUs");
      continue;
    }
    std::array<int, 2> ends{vertex(pair[0]), vertex(pair[1])};
    if (ends[0] < 0 || ends[1] < 0) continue;
    if (!graph_->is_gpu(ends[0]) || !graph_->is_gpu(ends[1]) || ends[0] == ends[1]) {
      error(pair[0].at, "'" + pair[0].text + "' and '" + pair[1].text + "' are not two GPUs");
      continue;
    }
    graph_->peer_pairs.insert(std::minmax(ends[0], ends[1]));
  }
}

void MachineBuilder::check_connected() {
  const int host = graph_->host_vertices.front();
  const int count = static_cast<int>(graph_->vertices.size());
  std::vector<bool> reported(static_cast<std::size_t>(count), false);
  // GPUs last: if a GPU's switch is unconnected, the error belongs at the switch
  for (const bool gpus : {false, true}) {
    for (int v = 0; v < count; ++v) {
      // an NVSwitch is linked only to GPUs, so cpu0 need not reach it
      const Vertex& vertex = graph_->vertex(v);
      if (vertex.kind == VertexKind::nvswitch || reported[static_cast<std::size_t>(v)] ||
          graph_->is_gpu(v) != gpus || graph_->others->path(host, v)) {
        continue;
      }
      std::vector<std::string> along;
      for (int other = 0; other < count; ++other) {
        if (other == v || !graph_->others->path(v, other)) continue;
        reported[static_cast<std::size_t>(other)] = true;
        along.push_back(graph_->vertex(other).name);
      }
      const std::string with = along.empty() ? "" : ", nor are " + listed(along);
      const bool socket = vertex.kind == VertexKind::cpu;
      error(places_[static_cast<std::size_t>(v)],
            "'" + vertex.name + "' is not connected to cpu0" + with +
                (socket ? " (link " + vertex.name + " to cpu0)"
                        : " (link it to a socket or a switch)"));
    }
  }
}

void MachineBuilder::find_sockets() {
  for (int gpu = 0; gpu < graph_->shown_gpus; ++gpu) {
    int nearest = 0;
    Seconds least{std::numeric_limits<double>::infinity()};
    for (std::size_t socket = 0; socket < graph_->host_vertices.size(); ++socket) {
      if (computer_of(graph_->host_vertices[socket]) != computer_of(gpu)) continue;
      // searches start at the few sockets, not at the many GPUs; the latency is the same both ways
      const auto path = graph_->others->path(graph_->host_vertices[socket], gpu);
      if (path && path->latency() < least) {
        least = path->latency();
        nearest = static_cast<int>(socket);
      }
    }
    graph_->sockets_of.push_back(nearest);
  }
}

std::shared_ptr<Machine::Graph> MachineBuilder::build(const std::string& name) {
  graph_->name = name;
  graph_->title = spec_.title;
  graph_->fingerprint = spec_.fingerprint;
  graph_->computers = spec_.computers;
  graph_->gpu_direct = spec_.gpu_direct;
  graph_->sharp = spec_.sharp;
  if (graph_->computers.empty()) {
    graph_->computers.push_back(node_of(spec_));
  }
  add_gpus_and_sockets();
  if (graph_->host_vertices.size() < static_cast<std::size_t>(spec_.host.sockets)) return graph_;
  add_switches();
  add_links();
  add_peer_pairs();
  graph_->shown_gpus = static_cast<int>(graph_->gpus.size());
  if (!good()) return graph_;
  find_computers();
  graph_->make_fabrics();
  check_connected();
  if (good()) find_sockets();
  return graph_;
}

std::shared_ptr<Machine::Graph> Machine::Graph::build(const MachineSpec& spec,
                                                      const std::string& name,
                                                      Diagnostics& diagnostics) {
  return MachineBuilder(spec, diagnostics).build(name);
}

Machine build_machine(const MachineSpec& spec, const std::string& name, Diagnostics& diagnostics) {
  return Machine(Machine::Graph::build(spec, name, diagnostics));
}

}  // namespace paceline
