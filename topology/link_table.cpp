// SPDX-License-Identifier: MIT
#include "topology/link_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace paceline {

std::vector<Connection> connections_of(const Machine& machine) {
  std::vector<Connection> all;
  const std::span<const LinkDirection> links = machine.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkDirection& link = links[i];
    all.push_back({link.from, link.to, link.kind, link.count, link.half_duplex, link.capacity});
    if (!link.half_duplex) ++i;  // the way back follows
  }
  return all;
}

std::string gigabytes(BytesPerSecond rate) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3g GB/s", rate.value() / 1e9);
  return text.data();
}

std::string describe_connection(const Connection& connection) {
  std::string text = Value<LinkKind>::write(connection.kind).text;
  if (connection.count > 1) text += " x" + std::to_string(connection.count);
  text += " " + gigabytes(connection.capacity);
  if (connection.half_duplex) text += " half-duplex";
  return text;
}

std::string describe_vertex(const Machine& machine, int vertex) {
  const Host& host = machine.host();
  switch (machine.vertices()[static_cast<std::size_t>(vertex)].kind) {
    case VertexKind::cpu:
      return std::to_string(host.cores / std::max(host.sockets, 1)) + " cores, " +
             gigabytes(host.memory_bandwidth / static_cast<double>(std::max(host.sockets, 1)));
    case VertexKind::gpu:
      for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) {
        if (machine.gpu_vertex(gpu) == vertex) return machine.gpu(gpu).name;
      }
      return "";
    default:
      return "";
  }
}

}  // namespace paceline
