// SPDX-License-Identifier: MIT
/// \file
/// The graph inside a `Machine`. Private to this folder: `build_machine` fills it, `Machine` reads
/// it.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/cluster_sample.hpp"
#include "topology/fabric.hpp"
#include "topology/machine.hpp"

namespace paceline {

/// "gpu0->plx0", "plx0<->cpu0" if half-duplex; from and to a socket, its memory: "cpu0 memory".
std::string name_of_link(const std::string& from, const std::string& to, bool half_duplex);
/// Of `count` links of a type, bonded.
LinkFigures figures_of(const LinkTypeSpec& type, int count);

struct Machine::Graph {
  Kind kind = Kind::described;
  std::string name;
  std::string title;
  std::string fingerprint;
  std::vector<Vertex> vertices;  // GPUs first
  std::vector<LinkDirection> links;
  std::vector<int> rows;           // by link: the row of the description
  std::vector<GpuSpec> gpus;       // by GPU; a single entry, shared by all workers, if unbounded
  std::vector<int> sockets_of;     // by GPU, of its computer
  std::vector<int> host_vertices;  // by socket
  Host host;
  int shown_gpus = 0;
  std::vector<NodeSpec> computers;               // one, or the sampled nodes of a cluster
  std::vector<int> staging_links;                // by computer: its memory (staging.hpp); -1: none
  std::shared_ptr<const ClusterSample> cluster;  // of which the graph is a sample; else null
  std::vector<int> computer_of;                  // by vertex; of the network's switches 0
  bool gpu_direct = false;                       // network cards read and write GPU memory
  bool sharp = false;                            // the network's switches sum
  // By GPU of several computers: the network cards that are nearest to it, its own first. GPUs with
  // the same cards near have them in turn.
  std::vector<std::vector<int>> cards_of_gpus;
  std::shared_ptr<const Machine> folded;     // of a cluster, for drawings
  std::set<std::pair<int, int>> peer_pairs;  // pairs of vertices, the lower first
  Leg local;                                 // the leg of any copy on an unbounded machine
  std::shared_ptr<const Fabric> nvlinks;     // between GPUs, through NVSwitches
  std::shared_ptr<const Fabric> others;      // all other links; paths never pass through a GPU

  struct KnownRoutes;
  std::shared_ptr<KnownRoutes> known_routes;  // of a cluster's sample

  /// Adds the cores and the memory of equal computers.
  void add_to_host(const HostSpec& computer, int count) {
    host.cores += computer.sockets * computer.cores * count;
    host.memory_bandwidth +=
        computer.memory_bandwidth * (static_cast<double>(computer.sockets) * count);
  }
  const Vertex& vertex(int id) const { return vertices[static_cast<std::size_t>(id)]; }
  const LinkDirection& link(int id) const { return links[static_cast<std::size_t>(id)]; }
  /// The one of the sample that is like this; without a cluster, itself.
  int sampled_vertex(int id) const;
  int sampled_link(int id) const;
  LinkDirection whole_link(int id, const ClusterSample::Likeness& like) const;
  /// Nothing on one computer.
  const ClusterNumbering* whole() const { return cluster ? &cluster->whole() : nullptr; }
  bool is_gpu(int vertex_id) const { return vertex(vertex_id).kind == VertexKind::gpu; }
  const NodeSpec& computer(int vertex_id) const {
    return computers[static_cast<std::size_t>(computer_of[static_cast<std::size_t>(vertex_id)])];
  }
  /// Builds the two fabrics from the links.
  void make_fabrics();
  void find_cards_of_gpus();
  /// Those that are linked to a network; and of these the ones nearest to a GPU.
  std::vector<int> network_cards() const;
  std::vector<int> nearest_to(int gpu, const std::vector<int>& cards) const;
  /// As build_machine does.
  static std::shared_ptr<Graph> build(const MachineSpec& spec, const std::string& name,
                                      Diagnostics& diagnostics);
  Route route(int from, int to) const;
  /// The same, worked out once: the nodes of a cluster share those of its sample.
  Route known_route(int from, int to) const;
  /// The path without NVLinks. Requires a checked machine, in which such a path exists between any
  /// two vertices other than NVSwitches.
  Path way_around_nvlink(int from, int to) const;
  /// The same by the first of these cards by which it is not longer.
  Path way_by_cards(int from, int to, const std::vector<int>& leaving,
                    const std::vector<int>& arriving) const;
  /// Of a GPU of several computers: its own first. Else nothing.
  std::vector<int> cards_near(int vertex) const;
  /// Whether the GPUs `from` and `to` read each other's memory directly.
  bool may_be_peers(int from, int to, const Path& path) const;
  Leg leg(int from, int to, const Path& path) const;
  /// The route between two GPUs through host memory.
  Route staged(int from, int to) const;
  /// Whether two GPUs of a computer copy through its memory.
  bool stages(int computer) const;
};

}  // namespace paceline
