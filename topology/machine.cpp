// SPDX-License-Identifier: MIT
#include "topology/machine.hpp"

#include <algorithm>

#include "topology/graph.hpp"

namespace paceline {
namespace {

/// The sum of a figure over the first `gpus` GPUs; nothing if one of them lacks it.
template <class Q>
std::optional<Q> sum_over(const Machine& machine, int gpus, std::optional<Q> GpuSpec::*figure) {
  Q sum;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const std::optional<Q>& one = machine.gpu(gpu).*figure;
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

}  // namespace

Machine::Machine(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}

Machine::Kind Machine::kind() const {
  return graph_->kind;
}
const std::string& Machine::name() const {
  return graph_->name;
}
const std::string& Machine::title() const {
  return graph_->title;
}
const std::string& Machine::fingerprint() const {
  return graph_->fingerprint;
}
const Host& Machine::host() const {
  return graph_->host;
}
std::span<const Vertex> Machine::vertices() const {
  return graph_->vertices;
}
std::span<const LinkDirection> Machine::links() const {
  return graph_->links;
}
int Machine::gpu_count() const {
  return graph_->shown_gpus;
}

std::optional<int> Machine::worker_limit() const {
  if (graph_->kind != Kind::described || graph_->gpus.empty()) return std::nullopt;
  return graph_->shown_gpus;
}

const GpuSpec& Machine::gpu(int gpu) const {
  if (graph_->kind != Kind::described) return graph_->gpus.front();
  return graph_->gpus.at(static_cast<std::size_t>(gpu));
}

std::optional<DollarsPerHour> Machine::price(int gpus) const {
  return sum_over(*this, gpus, &GpuSpec::price);
}

std::optional<Watts> Machine::power(int gpus) const {
  return sum_over(*this, gpus, &GpuSpec::power);
}

int Machine::gpu_vertex(int gpu) const {
  if (graph_->kind != Kind::described) return 0;
  return graph_->gpu_vertices.at(static_cast<std::size_t>(gpu));
}

int Machine::socket_of(int gpu) const {
  if (graph_->kind != Kind::described) return 0;
  return graph_->sockets_of.at(static_cast<std::size_t>(gpu));
}

int Machine::computers() const {
  return std::max(1, static_cast<int>(graph_->computers.size()));
}

int Machine::computer_of(int gpu) const {
  if (computers() == 1) return 0;
  return graph_->computer_of[static_cast<std::size_t>(gpu_vertex(gpu))];
}

int Machine::computer_of_vertex(int vertex) const {
  if (computers() == 1) return 0;
  return graph_->computer_of[static_cast<std::size_t>(vertex)];
}

Host Machine::host_of(int computer) const {
  Host one = graph_->host;
  if (computers() == 1) return one;
  const HostSpec& spec = graph_->computers[static_cast<std::size_t>(computer)].host;
  one.sockets = spec.sockets;
  one.cores = spec.sockets * spec.cores;
  one.memory_bandwidth = spec.memory_bandwidth * spec.sockets;
  return one;
}

int Machine::first_socket_of(int computer) const {
  int socket = 0;
  for (int before = 0; before < computer; ++before) {
    socket += graph_->computers[static_cast<std::size_t>(before)].host.sockets;
  }
  return socket;
}

const Machine& Machine::folded() const {
  return graph_->folded == nullptr ? *this : *graph_->folded;
}

int Machine::host_vertex(int socket) const {
  return graph_->host_vertices.at(static_cast<std::size_t>(socket));
}

std::optional<int> Machine::find_vertex(std::string_view name) const {
  for (std::size_t v = 0; v < graph_->vertices.size(); ++v) {
    if (graph_->vertices[v].name == name) return static_cast<int>(v);
  }
  return std::nullopt;
}

std::string Machine::route_rules() const {
  std::string text = graph_->gpu_direct ? "direct" : "staged";
  std::string last;
  for (const NodeSpec& computer : graph_->computers) {
    std::string rules = to_flow(Value<PeerAccess>::write(computer.peer_access)) + ' ' +
                        to_flow(write_keys(computer.copies)) + ' ' + std::to_string(computer.gpus);
    text += rules == last ? "\n=" : "\n" + rules;
    last = std::move(rules);
  }
  for (const auto& [a, b] : graph_->peer_pairs)
    text += "\n" + std::to_string(a) + " " + std::to_string(b);
  return text;
}

Machine Machine::with_faster_links(LinkKind kind, double factor) const {
  auto graph = std::make_shared<Graph>(*graph_);
  for (LinkDirection& link : graph->links) {
    if (link.kind == kind) link.capacity = link.capacity * factor;
  }
  if (graph->kind == Kind::described) {
    graph->make_fabrics();
  } else if (kind == LinkKind::memory) {
    graph->local.limit = graph->local.limit * factor;
  }
  return Machine(std::move(graph));
}

Machine this_machine(const HostFigures& figures) {
  auto graph = std::make_shared<Machine::Graph>();
  graph->kind = Machine::Kind::this_computer;
  graph->name = "this";
  graph->title = figures.cpu_model.empty() ? "this computer" : figures.cpu_model;
  graph->vertices = {{"host", VertexKind::cpu}};
  graph->host_vertices = {0};
  graph->gpus.emplace_back();
  graph->gpus.front().name = "thread";
  graph->host = {.sockets = 1,
                 .cores = figures.cores,
                 .memory_bandwidth = figures.memory_bandwidth,
                 .copy_bandwidth = figures.copy_bandwidth,
                 .dispatch = {},
                 .decision_latency = figures.decision_latency,
                 .timer_error = figures.timer_error};
  LinkDirection memory;
  memory.name = "memory";
  memory.kind = LinkKind::memory;
  memory.capacity = figures.memory_bandwidth;
  memory.half_duplex = true;
  memory.source = "measured by calibrate";
  graph->links = {memory};
  graph->local = {{0}, figures.copy_latency, figures.copy_bandwidth};
  return Machine(std::move(graph));
}

Machine ideal(int workers) {
  auto graph = std::make_shared<Machine::Graph>();
  graph->kind = Machine::Kind::ideal;
  graph->name = "ideal";
  graph->title = "an ideal machine: only computation takes time";
  graph->vertices = {{"host", VertexKind::cpu}};
  graph->host_vertices = {0};
  graph->gpus.emplace_back();
  graph->gpus.front().name = "ideal";
  graph->shown_gpus = std::max(workers, 0);
  return Machine(std::move(graph));
}

}  // namespace paceline
