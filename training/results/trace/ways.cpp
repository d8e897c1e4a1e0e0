// SPDX-License-Identifier: MIT
#include "training/results/trace/ways.hpp"

namespace paceline {

Ways::Ways(const Machine& machine, std::vector<int> vertices, int shared_card)
    : machine_(machine), vertices_(std::move(vertices)), shared_card_(shared_card) {
  for (const LinkDirection& link : machine.links()) names_.push_back(link.name);
  if (shared_card >= 0) {
    names_.push_back(machine.vertices()[static_cast<std::size_t>(shared_card)].name + " memory");
  }
}

const Ways::Way& Ways::between(RoleId from, RoleId to) {
  const auto [at, fresh] = ways_.try_emplace({from, to});
  if (fresh) at->second = find(from, to);
  return at->second;
}

Ways::Way Ways::find(RoleId from, RoleId to) const {
  Way way;
  if (from == to) return way;
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  if (a == b && a == shared_card_) {
    way.links = {names_.size() - 1};
    way.slowest = way.links.front();
    return way;
  }
  const auto capacity = [&](std::size_t id) { return machine_.links()[id].capacity; };
  for (const int id : machine_.route(a, b).links()) {
    const auto link = static_cast<std::size_t>(id);
    if (way.links.empty() || capacity(link) < capacity(way.slowest)) way.slowest = link;
    way.links.push_back(link);
  }
  return way;
}

}  // namespace paceline
