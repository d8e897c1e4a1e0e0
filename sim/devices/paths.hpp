// SPDX-License-Identifier: MIT
/// \file
/// The ways that data takes between roles, as the fluid network knows them: which resources a copy
/// uses, how late it begins, or that it costs nothing. Made on first use.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/devices/card_memory.hpp"
#include "sim/devices/shared_machine.hpp"
#include "topology/machine.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class HostCores;

/// The way between two vertices.
struct Path {
  RouteId route{};
  double per_byte = 1;  ///< the network's units of flow a byte is
  std::int64_t latency_ps = 0;
  std::int64_t request_ps = 0;  ///< of a request to another process
  bool free = false;            ///< takes no time
  bool staged = false;          ///< through the host's memory
  int engine = -1;  ///< of the shared card's, that does the copy; -1: none that is shared
};

class Paths {
 public:
  /// \param places the machine's vertex of every role
  /// \param cores  what copying threads use besides links
  /// \param groups of the card that workers share; null where it is not split
  /// All references must outlive this.
  Paths(const Machine& machine, const Costs& costs, const std::vector<int>& places,
        const HostCores& cores, const CardMemory* groups, SharedMachine& shared);

  Path& between(RoleId from, RoleId to) {
    return one_memory_ ? in_one_memory_ : between_places(from, to);
  }
  /// Whether copies between roles take no time, whichever they are.
  bool one_memory() const { return one_memory_; }
  /// Whether the role has memory of its own on a card that workers share.
  bool on_card(RoleId role) const;

 private:
  struct Recent {
    RoleId peer = -1;
    Path* path = nullptr;
  };
  Path& between_places(RoleId from, RoleId to);
  bool is_pageable(RoleId from) const { return costs_.pageable > 0 && from >= costs_.programs; }
  void lay(Path& way, RoleId from, RoleId to);
  void lay_between_processes(Path& way, RoleId from, RoleId to);
  void lay_on_card(Path& way);
  void lay_to_card(Path& way, bool to_card, std::vector<Use>& uses) const;

  const Machine& machine_;
  const Costs& costs_;
  const std::vector<int>& places_;
  const HostCores& cores_;
  bool memories_apart_;                    ///< every role has its own, at one vertex
  bool one_memory_ = false;                ///< of all roles
  bool split_;                             ///< the card, into groups
  std::optional<ResourceId> card_memory_;  ///< of the card that all workers share
  SharedMachine& shared_;
  FluidNetwork& network_;
  std::vector<ResourceId> up_, down_;                               ///< by process: its link
  std::unordered_map<std::uint64_t, std::unique_ptr<Path>> paths_;  ///< by pair of vertices
  Path in_one_memory_;
  std::vector<Recent> recent_;  ///< by role: the last peer it sent to
};

}  // namespace paceline
