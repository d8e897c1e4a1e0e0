// SPDX-License-Identifier: MIT
#include "training/results/trace/copy_links.hpp"

namespace paceline {

CopyLinks::CopyLinks(const Machine& machine, std::vector<int> vertices, int shared_card)
    : machine_(machine),
      vertices_(std::move(vertices)),
      shared_card_(shared_card),
      links_(machine.links()) {}

std::string CopyLinks::name(std::size_t link) const {
  if (link < links_.size()) return links_[link].name;
  return machine_.vertices()[static_cast<std::size_t>(shared_card_)].name + " memory";
}

const CopyLinks::Crossed& CopyLinks::between(RoleId from, RoleId to) {
  const auto [at, fresh] = known_.try_emplace({from, to});
  if (fresh) at->second = find(from, to);
  return at->second;
}

CopyLinks::Crossed CopyLinks::find(RoleId from, RoleId to) const {
  Crossed crossed;
  if (from == to) return crossed;
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  if (a == b && a == shared_card_) {
    crossed.links = {links_.size()};
    crossed.slowest = crossed.links.front();
    return crossed;
  }
  const auto capacity = [&](std::size_t id) {
    return machine_.figures(static_cast<int>(id)).capacity;
  };
  for (const int id : machine_.route(a, b).links()) {
    const auto link = static_cast<std::size_t>(id);
    if (crossed.links.empty() || capacity(link) < capacity(crossed.slowest)) crossed.slowest = link;
    crossed.links.push_back(link);
  }
  return crossed;
}

}  // namespace paceline
