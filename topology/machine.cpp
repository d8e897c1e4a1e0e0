// SPDX-License-Identifier: MIT
#include "topology/machine.hpp"

#include <algorithm>
#include <functional>

#include "topology/cluster.hpp"
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

LinkFigures figures_of(const LinkTypeSpec& type, int count) {
  return {.kind = type.kind,
          .capacity = type.bandwidth * (type.efficiency.fraction * count),
          .latency = type.latency,
          .efficiency = type.efficiency.fraction,
          .count = count,
          .connection = type.connection,
          .sockets = type.sockets,
          .eager = type.eager,
          .half_duplex = type.duplex == Duplex::half,
          .source = type.source};
}

std::string name_of_link(const std::string& from, const std::string& to, bool half_duplex) {
  if (from == to) return from + " memory";
  return from + (half_duplex ? "<->" : "->") + to;
}

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
int Machine::gpu_count() const {
  return graph_->shown_gpus;
}

std::optional<int> Machine::worker_limit() const {
  if (graph_->kind != Kind::described || graph_->gpus.empty()) return std::nullopt;
  return graph_->shown_gpus;
}

const GpuSpec& Machine::gpu(int gpu) const {
  if (graph_->kind != Kind::described) return graph_->gpus.front();
  return graph_->gpus.at(static_cast<std::size_t>(graph_->sampled_vertex(gpu)));
}

bool Machine::equal_gpus() const {
  return std::ranges::adjacent_find(graph_->gpus, std::not_equal_to<>()) == graph_->gpus.end();
}

std::optional<DollarsPerHour> Machine::price(int gpus) const {
  return sum_over(*this, gpus, &GpuSpec::price);
}

std::optional<Watts> Machine::power(int gpus) const {
  return sum_over(*this, gpus, &GpuSpec::power);
}

int Machine::gpu_vertex(int gpu) const {
  if (graph_->kind != Kind::described) return 0;
  return gpu;
}

int Machine::socket_of(int gpu) const {
  if (graph_->kind != Kind::described) return 0;
  if (!graph_->cluster) return graph_->sockets_of.at(static_cast<std::size_t>(gpu));
  const ClusterSample& cluster = *graph_->cluster;
  const ClusterSample::Likeness like = cluster.likeness_of_vertex(gpu);
  const auto sampled = static_cast<std::size_t>(cluster.sampled_vertex(gpu, like));
  const auto socket = static_cast<std::size_t>(graph_->sockets_of.at(sampled));
  return cluster.whole_vertex(graph_->host_vertices[socket], like) - gpu_count();
}

int Machine::host_vertex(int socket) const {
  if (graph_->cluster) return gpu_count() + socket;
  return graph_->host_vertices.at(static_cast<std::size_t>(socket));
}

// ---- computers

int Machine::computers() const {
  return graph_->cluster ? graph_->whole()->nodes() : 1;
}

int Machine::computer_of(int gpu) const {
  return computer_of_vertex(gpu_vertex(gpu));
}

int Machine::computer_of_vertex(int vertex) const {
  return graph_->cluster ? graph_->whole()->vertex(vertex).owner : 0;
}

bool Machine::sharp() const {
  return graph_->sharp;
}

Host Machine::host_of(int computer) const {
  Host one = graph_->host;
  if (!graph_->cluster) return one;
  const int run = graph_->whole()->run_of(computer);
  const HostSpec& spec = graph_->computers[static_cast<std::size_t>(run * kSampleNodes)].host;
  one.sockets = spec.sockets;
  one.cores = spec.sockets * spec.cores;
  one.memory_bandwidth = spec.memory_bandwidth * spec.sockets;
  one.pageable_bandwidth = spec.pageable_bandwidth;
  return one;
}

int Machine::first_socket_of(int computer) const {
  if (!graph_->cluster) return 0;
  return graph_->whole()->vertex({ClusterPart::Kind::socket, computer, 0}) - gpu_count();
}

const Machine& Machine::folded() const {
  return graph_->folded == nullptr ? *this : *graph_->folded;
}

std::optional<Machine::Staging> Machine::staging() const {
  const std::vector<NodeSpec>& computers = graph_->computers;
  for (std::size_t number = 0; number < computers.size(); ++number) {
    if (!graph_->stages(static_cast<int>(number))) continue;
    const auto link = static_cast<std::size_t>(graph_->staging_links[number]);
    return Staging{graph_->links[link].capacity, *computers[number].copies.staging_limit,
                   computers[number].staging_assumed};
  }
  return std::nullopt;
}

Machine Machine::sampled() const {
  if (!graph_->cluster) return *this;
  auto graph = std::make_shared<Graph>(*graph_);
  graph->cluster = nullptr;
  graph->shown_gpus = static_cast<int>(graph->gpus.size());
  return Machine(std::move(graph));
}

std::string Machine::route_rules() const {
  std::string text = graph_->gpu_direct ? "direct" : "staged";
  if (graph_->sharp) text += " sharp";
  if (const ClusterNumbering* const whole = graph_->whole()) text += '\n' + whole->text();
  for (const NodeSpec& computer : graph_->computers) {
    text += '\n' + to_flow(Value<PeerAccess>::write(computer.peer_access)) + ' ' +
            to_flow(write_keys(computer.copies)) + ' ' + std::to_string(computer.gpus);
  }
  for (const auto& [a, b] : graph_->peer_pairs)
    text += "\n" + std::to_string(a) + " " + std::to_string(b);
  return text;
}

// ---- vertices and links

int Machine::Graph::sampled_vertex(int id) const {
  return cluster ? cluster->equal_vertex(id) : id;
}

int Machine::Graph::sampled_link(int id) const {
  return cluster ? cluster->sampled_link(id, cluster->likeness_of_link(id)) : id;
}

VertexKind Machine::kind_of(int vertex) const {
  return graph_->vertex(graph_->sampled_vertex(vertex)).kind;
}

const LinkFigures& Machine::figures(int link) const {
  return graph_->link(graph_->sampled_link(link));
}

ComputedList<Vertex> Machine::vertices() const {
  const ClusterNumbering* const whole = graph_->whole();
  const auto size =
      whole != nullptr ? static_cast<std::size_t>(whole->vertices()) : graph_->vertices.size();
  return {size, [graph = graph_](int id) {
            Vertex vertex = graph->vertex(graph->sampled_vertex(id));
            if (graph->cluster) vertex.name = graph->cluster->name(id, vertex.name);
            return vertex;
          }};
}

/// A link of the cluster, where `id` is one of the sample.
LinkDirection Machine::Graph::whole_link(int id, const ClusterSample::Likeness& like) const {
  LinkDirection one = link(id);
  const auto whole = [&](int& end) {
    const std::string sampled = vertex(end).name;
    end = cluster->whole_vertex(end, like);
    return cluster->name(end, sampled);
  };
  const std::string from = whole(one.from);
  one.name = name_of_link(from, whole(one.to), one.half_duplex);
  return one;
}

ComputedList<LinkDirection> Machine::links() const {
  const ClusterNumbering* const whole = graph_->whole();
  const auto size =
      whole != nullptr ? static_cast<std::size_t>(whole->links()) : graph_->links.size();
  return {size, [graph = graph_](int id) {
            if (!graph->cluster) return graph->link(id);
            const ClusterSample::Likeness like = graph->cluster->likeness_of_link(id);
            return graph->whole_link(graph->cluster->sampled_link(id, like), like);
          }};
}

std::vector<LinkDirection> Machine::links_from_gpu(int gpu) const {
  const int from = gpu_vertex(gpu);
  const int sampled = graph_->sampled_vertex(from);
  std::vector<LinkDirection> leaving;
  for (std::size_t id = 0; id < graph_->links.size(); ++id) {
    if (graph_->links[id].from != sampled) continue;
    leaving.push_back(
        graph_->cluster
            ? graph_->whole_link(static_cast<int>(id), graph_->cluster->likeness_of_vertex(from))
            : graph_->links[id]);
  }
  return leaving;
}

std::optional<int> Machine::find_vertex(std::string_view name) const {
  const ComputedList<Vertex> all = vertices();
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (all[v].name == name) return static_cast<int>(v);
  }
  return std::nullopt;
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

Machine Machine::with_faster_connections(LinkKind kind, double factor) const {
  auto graph = std::make_shared<Graph>(*graph_);
  for (LinkDirection& link : graph->links) {
    if (link.kind == kind) link.connection = link.connection * factor;
  }
  if (graph->kind == Kind::described) graph->make_fabrics();
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
                 .pageable_bandwidth = {},
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
