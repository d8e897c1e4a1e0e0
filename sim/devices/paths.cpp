// SPDX-License-Identifier: MIT
#include "sim/devices/paths.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "sim/devices/host_cores.hpp"
#include "training/runtime/instant.hpp"

namespace paceline {

Paths::Paths(const Machine& machine, const Costs& costs, const std::vector<int>& places,
             const HostCores& cores, const CardMemory* groups, SharedMachine& shared)
    : machine_(machine),
      costs_(costs),
      places_(places),
      cores_(cores),
      memories_apart_(machine.kind() == Machine::Kind::this_computer),
      split_(groups != nullptr),
      shared_(shared),
      network_(shared.network()),
      recent_(places.size()) {
  in_one_memory_.free = true;
  const ProcessCosts& processes = costs.processes;
  for (int process = 0; processes.several() && process < processes.count; ++process) {
    up_.push_back(network_.add_resource(processes.link.value()));
    down_.push_back(network_.add_resource(processes.link.value()));
  }
  if (groups != nullptr) {
    card_memory_ = groups->memory();
  } else if (costs.shared_card >= 0 && costs.card_copy_bandwidth > BytesPerSecond{}) {
    card_memory_ = network_.add_resource(costs.card_copy_bandwidth.value());
  }
  const bool apart = processes.several() || memories_apart_ || card_memory_;
  one_memory_ = !apart && std::ranges::adjacent_find(places, std::not_equal_to<>()) == places.end();
}

bool Paths::on_card(RoleId role) const {
  return card_memory_ && places_[static_cast<std::size_t>(role)] == costs_.shared_card;
}

Path& Paths::between_places(RoleId from, RoleId to) {
  Recent& recent = recent_[static_cast<std::size_t>(from)];
  if (recent.peer == to) return *recent.path;
  // processes are all at the one vertex of this computer
  const bool several = costs_.processes.several();
  const auto end_at = [&](RoleId role) {
    return static_cast<std::uint32_t>(several ? costs_.processes.of(role)
                                              : places_[static_cast<std::size_t>(role)]);
  };
  const std::uint32_t a = end_at(from);
  const std::uint32_t b = end_at(to);
  if (a == b && (from == to || !(memories_apart_ || on_card(from)))) return in_one_memory_;
  // a loader's memory may be another than that of roles at the same place
  constexpr std::uint64_t kPageable = std::uint64_t{1} << 63;
  std::unique_ptr<Path>& way =
      paths_[(is_pageable(from) ? kPageable : 0) | std::uint64_t{a} << 32 | b];
  if (way == nullptr) {
    way = std::make_unique<Path>();
    if (several && a != b) {
      lay_between_processes(*way, from, to);
    } else {
      lay(*way, from, to);
    }
  }
  recent = {to, way.get()};
  return *way;
}

void Paths::lay(Path& way, RoleId from_role, RoleId to_role) {
  const int from = places_[static_cast<std::size_t>(from_role)];
  const int to = places_[static_cast<std::size_t>(to_role)];
  if (from == to && from == costs_.shared_card) {
    lay_on_card(way);
    return;
  }
  const int computer = costs_.processes.computer_of(from_role);
  std::vector<Use> uses;
  const Route route = machine_.route(from, to);
  double limit = route.limit().value();
  if (is_pageable(from_role) && machine_.kind_of(to) == VertexKind::gpu)
    limit = std::min(limit, costs_.pageable);
  way.staged = route.staged;
  way.latency_ps = to_ps(route.latency());
  way.free = route.links().empty() && !std::isfinite(limit) && way.latency_ps == 0;
  if (way.free) return;
  if (from == costs_.shared_card || to == costs_.shared_card) {
    lay_to_card(way, to == costs_.shared_card, uses);
  }
  double bytes = 1;  // of a unit of flow
  if (cores_.shared() && std::isfinite(limit)) {
    // A thread that copies at its limit keeps a core busy. Cores are shared by the time that flows
    // take at full speed, so that is their unit, weighed by precedence.
    bytes = limit * costs_.precedence;
    cores_.add_uses(from_role, costs_.precedence, uses);
  }
  for (const int link : route.links())
    uses.push_back({shared_.link(machine_, computer, link), bytes});
  way.per_byte = 1 / bytes;
  way.route = network_.add_route(uses, limit / bytes);
}

/// From one role's memory on the card to another's. Multiprocessors copy, not an engine: of a split
/// card those of a group; its copies share the memory with all else, each byte read and written.
void Paths::lay_on_card(Path& way) {
  const Use use{*card_memory_, split_ ? 2.0 : 1.0};
  way.route = network_.add_route({&use, 1}, split_ ? costs_.card_copy_bandwidth.value()
                                                   : std::numeric_limits<double>::infinity());
}

/// Between the card and the host: one of the card's engines does it.
void Paths::lay_to_card(Path& way, bool to_card, std::vector<Use>& uses) const {
  if (costs_.card_copy_engines > 0) {
    way.engine = to_card && costs_.card_copy_engines > 1 ? 1 : 0;
  }
  if (split_ && card_memory_) uses.push_back({*card_memory_, 1.0});
}

/// Up the one process's link and down the other's; both ends' threads take processors' time.
void Paths::lay_between_processes(Path& way, RoleId from, RoleId to) {
  const ProcessCosts& costs = costs_.processes;
  // cores are shared by the time that flows take at full speed, as above
  const double bytes = costs.stream.value() * costs_.precedence;  // of a unit of flow
  std::vector<Use> uses{{up_[static_cast<std::size_t>(costs.of(from))], bytes},
                        {down_[static_cast<std::size_t>(costs.of(to))], bytes}};
  const auto takes = [&](RoleId role, double per_byte) {
    if (per_byte > 0) cores_.add_uses(role, per_byte * bytes, uses);
  };
  takes(from, costs.send);
  takes(to, costs.receive);
  way.per_byte = 1 / bytes;
  way.route = network_.add_route(uses, costs.stream.value() / bytes);
  way.latency_ps = to_ps(costs.latency) / 2;
  way.request_ps = to_ps(costs.latency) - way.latency_ps;
}

}  // namespace paceline
