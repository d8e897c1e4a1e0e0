// SPDX-License-Identifier: MIT
#include "sim/devices/paths.hpp"

#include <cmath>
#include <limits>

#include "training/roles/instant.hpp"

namespace paceline {

Paths::Paths(const Machine& machine, const Costs& costs, const std::vector<int>& places,
             std::optional<ResourceId> cores, FluidNetwork& network)
    : machine_(machine),
      costs_(costs),
      places_(places),
      cores_(cores),
      network_(network),
      recent_(places.size()) {
  for (const LinkDirection& link : machine.links()) {
    links_.push_back(network_.add_resource(link.capacity.value()));
  }
  if (costs.shared_card >= 0 && costs.card_copy_bandwidth > BytesPerSecond{}) {
    card_memory_ = network_.add_resource(costs.card_copy_bandwidth.value());
  }
}

bool Paths::on_card(RoleId role) const {
  return card_memory_ && places_[static_cast<std::size_t>(role)] == costs_.shared_card;
}

Path& Paths::between(RoleId from, RoleId to) {
  Recent& recent = recent_[static_cast<std::size_t>(from)];
  if (recent.peer == to) return *recent.path;
  const auto a = static_cast<std::uint64_t>(places_[static_cast<std::size_t>(from)]);
  const auto b = static_cast<std::uint64_t>(places_[static_cast<std::size_t>(to)]);
  // on this computer, and on a card, every worker has memory of its own at the one vertex
  const bool apart = machine_.kind() == Machine::Kind::this_computer || on_card(from);
  const bool same_memory = a == b && (from == to || !apart);
  std::unique_ptr<Path>& way = paths_[a << 33 | b << 1 | (same_memory ? 1U : 0U)];
  if (way == nullptr) {
    way = std::make_unique<Path>();
    if (same_memory) {
      way->free = true;
    } else {
      lay(*way, static_cast<int>(a), static_cast<int>(b));
    }
  }
  recent = {to, way.get()};
  return *way;
}

void Paths::lay(Path& way, int from, int to) {
  std::vector<Use> uses;
  if (from == to && from == costs_.shared_card) {
    uses.push_back({*card_memory_, 1.0});
    way.route = network_.add_route(uses, std::numeric_limits<double>::infinity());
    return;
  }
  const Route route = machine_.route(from, to);
  for (const int link : route.links())
    uses.push_back({links_[static_cast<std::size_t>(link)], 1.0});
  const double limit = route.limit().value();
  way.staged = route.staged;
  way.latency_ps = to_ps(route.latency());
  way.free = uses.empty() && !std::isfinite(limit) && way.latency_ps == 0;
  if (way.free) return;
  // a thread that copies at its limit keeps a core busy
  if (cores_ && std::isfinite(limit)) uses.push_back({*cores_, 1.0 / limit});
  way.route = network_.add_route(uses, limit);
}

}  // namespace paceline
