// SPDX-License-Identifier: MIT
#include "sim/devices/paths.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "training/roles/instant.hpp"

namespace paceline {

Paths::Paths(const Machine& machine, const Costs& costs, const std::vector<int>& places,
             std::vector<ResourceId> cores, FluidNetwork& network)
    : machine_(machine),
      costs_(costs),
      places_(places),
      cores_(std::move(cores)),
      network_(network),
      recent_(places.size()) {
  const ProcessCosts& processes = costs.processes;
  for (int computer = 0; computer < processes.computers(); ++computer) {
    auto& links = links_.emplace_back();
    for (const LinkDirection& link : machine.links()) {
      links.push_back(network_.add_resource(link.capacity.value()));
    }
  }
  for (int process = 0; processes.several() && process < processes.count; ++process) {
    up_.push_back(network_.add_resource(processes.link.value()));
    down_.push_back(network_.add_resource(processes.link.value()));
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
  // processes are all at the one vertex of this computer
  const bool several = costs_.processes.several();
  const auto spot = [&](RoleId role) {
    return static_cast<std::uint64_t>(several ? costs_.processes.of(role)
                                              : places_[static_cast<std::size_t>(role)]);
  };
  const std::uint64_t a = spot(from);
  const std::uint64_t b = spot(to);
  // on this computer, and on a card, every worker has memory of its own at the one vertex
  const bool apart = machine_.kind() == Machine::Kind::this_computer || on_card(from);
  const bool same_memory = a == b && (from == to || !apart);
  std::unique_ptr<Path>& way = paths_[a << 33 | b << 1 | (same_memory ? 1U : 0U)];
  if (way == nullptr) {
    way = std::make_unique<Path>();
    if (same_memory) {
      way->free = true;
    } else if (several && a != b) {
      lay_between_processes(*way, from, to);
    } else {
      lay(*way, from, to);
    }
  }
  recent = {to, way.get()};
  return *way;
}

void Paths::lay(Path& way, RoleId from_role, RoleId to_role) {
  std::vector<Use> uses;
  const int from = places_[static_cast<std::size_t>(from_role)];
  const int to = places_[static_cast<std::size_t>(to_role)];
  if (from == to && from == costs_.shared_card) {
    uses.push_back({*card_memory_, 1.0});
    way.route = network_.add_route(uses, std::numeric_limits<double>::infinity());
    return;
  }
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(from_role));
  const Route route = machine_.route(from, to);
  for (const int link : route.links())
    uses.push_back({links_[computer][static_cast<std::size_t>(link)], 1.0});
  const double limit = route.limit().value();
  way.staged = route.staged;
  way.latency_ps = to_ps(route.latency());
  way.free = uses.empty() && !std::isfinite(limit) && way.latency_ps == 0;
  if (way.free) return;
  // a thread that copies at its limit keeps a core busy
  if (!cores_.empty() && std::isfinite(limit)) uses.push_back({cores_[computer], 1.0 / limit});
  way.route = network_.add_route(uses, limit);
}

/// Up the one process's link and down the other's; both ends' threads take processors' time.
void Paths::lay_between_processes(Path& way, RoleId from, RoleId to) {
  const ProcessCosts& costs = costs_.processes;
  std::vector<Use> uses{{up_[static_cast<std::size_t>(costs.of(from))], 1.0},
                        {down_[static_cast<std::size_t>(costs.of(to))], 1.0}};
  const auto takes = [&](RoleId role, double per_byte) {
    if (cores_.empty() || per_byte <= 0) return;
    uses.push_back({cores_[static_cast<std::size_t>(costs.computer_of(role))], per_byte});
  };
  takes(from, costs.send);
  takes(to, costs.receive);
  way.route = network_.add_route(uses, costs.stream.value());
  way.latency_ps = to_ps(costs.latency) / 2;
  way.acknowledged_ps = to_ps(costs.latency) - way.latency_ps;
}

}  // namespace paceline
