// SPDX-License-Identifier: MIT
#include "training/trace/ways.hpp"

namespace paceline {

Ways::Ways(const Setting& setting) : setting_(setting) {
  for (const LinkDirection& link : setting.machine->links()) names_.push_back(link.name);
  const int card = setting.costs.shared_card;
  if (card >= 0) {
    names_.push_back(setting.machine->vertices()[static_cast<std::size_t>(card)].name + " memory");
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
  const Machine& machine = *setting_.machine;
  const int a = setting_.places[static_cast<std::size_t>(from)];
  const int b = setting_.places[static_cast<std::size_t>(to)];
  if (a == b && a == setting_.costs.shared_card) {
    way.links = {names_.size() - 1};
    way.slowest = way.links.front();
    return way;
  }
  const auto capacity = [&](std::size_t id) { return machine.links()[id].capacity; };
  for (const int id : machine.route(a, b).links()) {
    const auto link = static_cast<std::size_t>(id);
    if (way.links.empty() || capacity(link) < capacity(way.slowest)) way.slowest = link;
    way.links.push_back(link);
  }
  return way;
}

}  // namespace paceline
