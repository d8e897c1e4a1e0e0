// SPDX-License-Identifier: MIT
#include "topology/link_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>

namespace paceline {

std::vector<Connection> connections_of(const Machine& machine) {
  std::vector<Connection> all;
  const ComputedList<LinkDirection> links = machine.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkDirection link = links[i];
    if (link.from == link.to) continue;  // host memory joins nothing
    all.push_back({link.from, link.to, link.kind, link.count, link.half_duplex, link.capacity});
    if (!link.half_duplex) ++i;  // the next link is the opposite direction
  }
  return all;
}

Forest grow_forest(const Machine& machine) {
  const std::vector<Connection> all = connections_of(machine);
  const std::size_t count = machine.vertices().size();
  Forest forest{std::vector<std::vector<Connection>>(count), {}};
  std::vector<bool> reached(count);
  std::vector<bool> used(all.size());
  std::deque<int> queue;
  for (std::size_t v = 0; v < count; ++v) {
    if (machine.vertices()[v].kind != VertexKind::cpu) continue;
    reached[v] = true;
    queue.push_back(static_cast<int>(v));
  }
  while (!queue.empty()) {
    const int v = queue.front();
    queue.pop_front();
    if (machine.vertices()[static_cast<std::size_t>(v)].kind == VertexKind::gpu) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (used[i] || (all[i].from != v && all[i].to != v)) continue;
      const int other = all[i].from == v ? all[i].to : all[i].from;
      if (reached[static_cast<std::size_t>(other)]) continue;
      reached[static_cast<std::size_t>(other)] = true;
      used[i] = true;
      Connection down = all[i];
      down.from = v;
      down.to = other;
      forest.below[static_cast<std::size_t>(v)].push_back(down);
      queue.push_back(other);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!used[i]) forest.beside.push_back(all[i]);
  }
  return forest;
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
