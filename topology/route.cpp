// SPDX-License-Identifier: MIT
//
// Chooses the network of a transfer and the place of staging; Fabric computes the paths.
#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "topology/graph.hpp"

namespace paceline {
namespace {

/// NVLinks form the GPUs' network only between GPUs and NVSwitches; an NVLink to a socket (POWER)
/// is an ordinary link.
bool joins_gpus(VertexKind kind) {
  return kind == VertexKind::gpu || kind == VertexKind::nvswitch;
}

}  // namespace

std::vector<int> Route::links() const {
  std::vector<int> all;
  for (const Leg& leg : legs) all.insert(all.end(), leg.links.begin(), leg.links.end());
  return all;
}

Seconds Route::latency() const {
  Seconds sum;
  for (const Leg& leg : legs) sum += leg.latency;
  return sum;
}

BytesPerSecond Route::limit() const {
  BytesPerSecond least = Leg::kUnlimited;
  for (const Leg& leg : legs) least = std::min(least, leg.limit);
  return least;
}

struct Machine::Graph::KnownRoutes {
  std::mutex mutex;
  std::map<std::pair<int, int>, Route> by_ends;
};

void Machine::Graph::make_fabrics() {
  std::vector<bool> nvlink_transit;
  std::vector<bool> other_transit;
  for (const Vertex& v : vertices) {
    nvlink_transit.push_back(v.kind == VertexKind::nvswitch);
    other_transit.push_back(v.kind != VertexKind::gpu);
  }
  std::vector<Hop> nvlink_hops;
  std::vector<Hop> other_hops;
  for (std::size_t id = 0; id < links.size(); ++id) {
    const LinkDirection& link = links[id];
    if (link.from == link.to) continue;  // host memory is on no path
    const bool nvlink = link.kind == LinkKind::nvlink && joins_gpus(vertex(link.from).kind) &&
                        joins_gpus(vertex(link.to).kind);
    std::vector<Hop>& hops = nvlink ? nvlink_hops : other_hops;
    hops.push_back({link.from, link.to, static_cast<int>(id), link.latency, link.capacity});
    if (link.half_duplex) {
      hops.push_back({link.to, link.from, static_cast<int>(id), link.latency, link.capacity});
    }
  }
  nvlinks = std::make_shared<const Fabric>(std::move(nvlink_transit), nvlink_hops);
  others = std::make_shared<const Fabric>(std::move(other_transit), other_hops);
  known_routes = std::make_shared<KnownRoutes>();
  find_cards_of_gpus();
}

Path Machine::Graph::way_around_nvlink(int from, int to) const {
  std::optional<Path> path = others->path(from, to);
  if (!path) throw std::logic_error("no route: an NVSwitch is linked to GPUs alone");
  return std::move(*path);
}

Leg Machine::Graph::leg(int from, int to, const Path& path) const {
  const bool by_gpu = is_gpu(from) || is_gpu(to);  // otherwise a thread copies, without a start
                                                   // latency
  const CopiesSpec& copies = computer(is_gpu(from) ? from : to).copies;
  Leg leg{path.links, (by_gpu ? copies.latency : Seconds{}) + path.latency(), Leg::kUnlimited};
  const auto through_host = [&](int v) {
    return vertex(v).kind == VertexKind::cpu || vertex(v).kind == VertexKind::host_bridge;
  };
  double share = 1;
  if (is_gpu(from) && is_gpu(to)) {
    const bool across = std::any_of(path.between.begin(), path.between.end(), through_host);
    share = across ? copies.peer_across_host.fraction : 1;
  } else if (is_gpu(to)) {
    share = copies.host_to_gpu.fraction;
  } else if (is_gpu(from)) {
    share = copies.gpu_to_host.fraction;
  } else if (host.copy_bandwidth > BytesPerSecond{0}) {
    leg.limit = host.copy_bandwidth;  // memcpy on one thread
  }
  for (int id : path.links) {
    const BytesPerSecond connection = link(id).connection;
    if (connection > BytesPerSecond{0}) leg.limit = std::min(leg.limit, connection);
    // a network's efficiency includes its cards'
    if (share < 1 && !joins_computers(link(id).kind))
      leg.limit = std::min(leg.limit, link(id).capacity * share);
  }
  return leg;
}

Route Machine::Graph::route(int from, int to) const {
  if (kind != Kind::described) return {{local}, false};
  if (from == to) {
    const bool memcpy_on_host = !is_gpu(from) && host.copy_bandwidth.value() > 0;
    return {{Leg{{}, {}, memcpy_on_host ? host.copy_bandwidth : Leg::kUnlimited}}, false};
  }
  const bool between_gpus = is_gpu(from) && is_gpu(to);
  if (between_gpus && computer(from).peer_access != PeerAccess::none) {
    if (const auto path = nvlinks->path(from, to)) return {{leg(from, to, *path)}, false};
  }
  const Path path = way_by_cards(from, to, cards_near(from), cards_near(to));
  if (!between_gpus || may_be_peers(from, to, path)) return {{leg(from, to, path)}, false};
  return staged(from, to);
}

Route Machine::Graph::known_route(int from, int to) const {
  const std::lock_guard lock(known_routes->mutex);
  std::map<std::pair<int, int>, Route>& routes = known_routes->by_ends;
  auto known = routes.find({from, to});
  if (known == routes.end()) known = routes.emplace(std::pair{from, to}, route(from, to)).first;
  return known->second;
}

Route Machine::route(int from, int to) const {
  if (!graph_->cluster) return graph_->route(from, to);
  const ClusterSample& cluster = *graph_->cluster;
  const auto [sampled_from, sampled_to, like] = cluster.ends(from, to);
  Route route = graph_->known_route(sampled_from, sampled_to);
  for (Leg& leg : route.legs) {
    for (int& link : leg.links) link = cluster.whole_link(link, like);
  }
  return route;
}

std::uint64_t Machine::route_class(int from, int to) const {
  if (graph_->cluster) std::tie(from, to) = graph_->cluster->sampled_pair(from, to);
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

bool Machine::peer_access(int gpu_a, int gpu_b) const {
  return !route(gpu_vertex(gpu_a), gpu_vertex(gpu_b)).staged;
}

BytesPerSecond Machine::bottleneck(const Leg& leg) const {
  return bottleneck(Route{{leg}, false});
}

BytesPerSecond Machine::bottleneck(const Route& route) const {
  std::map<int, int> crossings;
  for (int id : route.links()) ++crossings[id];
  BytesPerSecond least = route.limit();
  for (const auto& [id, times] : crossings) {
    least = std::min(least, figures(id).capacity / static_cast<double>(times));
  }
  return least;
}

}  // namespace paceline
