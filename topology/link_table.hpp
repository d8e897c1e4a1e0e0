// SPDX-License-Identifier: MIT
/// \file
/// A machine's links as shown in drawings: both directions of a link as one connection, and the
/// tree below the sockets. Private to this folder.
#pragma once
#include <string>
#include <vector>

#include "topology/machine.hpp"

namespace paceline {

/// A link between two vertices in both directions.
struct Connection {
  int from = 0;
  int to = 0;
  LinkKind kind = LinkKind::pcie;
  int count = 1;
  bool half_duplex = false;
  BytesPerSecond capacity;  ///< per direction
};

/// All connections, in the order of the links' ids.
std::vector<Connection> connections_of(const Machine& machine);
/// The spanning forest below the sockets: for each vertex, the connections to the vertices below
/// it.
struct Forest {
  std::vector<std::vector<Connection>> below;  // by vertex; `to` is the lower end
  std::vector<Connection> beside;              // connections outside the forest
};
/// Builds the forest: each vertex is below its nearest socket, counted in hops; GPUs are leaves.
Forest grow_forest(const Machine& machine);

/// "nvlink 18.3 GB/s", "qpi x2 23 GB/s", "pcie 10.6 GB/s half-duplex".
std::string describe_connection(const Connection& connection);
/// The details of a vertex apart from its name: a GPU's model, a socket's cores and memory.
std::string describe_vertex(const Machine& machine, int vertex);
/// A rate with three digits: "12.8 GB/s", "0.82 GB/s".
std::string gigabytes(BytesPerSecond rate);

}  // namespace paceline
