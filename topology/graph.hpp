// SPDX-License-Identifier: MIT
/// \file
/// What a `Machine` holds. Private to this folder: `build_machine` fills it in, `Machine` reads it.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/fabric.hpp"
#include "topology/machine.hpp"

namespace paceline {

struct Machine::Graph {
  Kind kind = Kind::described;
  std::string name;
  std::string title;
  std::string fingerprint;
  std::vector<Vertex> vertices;
  std::vector<LinkDirection> links;
  std::vector<GpuSpec> gpus;       // by GPU; the one that all workers share when unbounded
  std::vector<int> gpu_vertices;   // by GPU
  std::vector<int> sockets_of;     // by GPU
  std::vector<int> host_vertices;  // by socket
  Host host;
  int shown_gpus = 0;
  CopiesSpec copies;
  PeerAccess peer_access = PeerAccess::all;
  std::set<std::pair<int, int>> peer_pairs;  // vertices, the lower first
  Leg local;                                 // how a worker's copy goes where all share vertex 0
  std::shared_ptr<const Fabric> nvlinks;     // between GPUs, through NVSwitches
  std::shared_ptr<const Fabric> others;      // everything else, never through a GPU

  const Vertex& vertex(int id) const { return vertices[static_cast<std::size_t>(id)]; }
  const LinkDirection& link(int id) const { return links[static_cast<std::size_t>(id)]; }
  bool is_gpu(int vertex_id) const { return vertex(vertex_id).kind == VertexKind::gpu; }
  /// Makes the two fabrics of the links.
  void make_fabrics();
  /// Between any vertices but NVSwitches there is one, once the machine has been checked.
  Path way_around_nvlink(int from, int to) const;
  bool may_be_peers(int from, int to, const Path& path) const;
  Leg leg(int from, int to, const Path& path) const;
};

}  // namespace paceline
