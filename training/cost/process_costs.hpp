// SPDX-License-Identifier: MIT
/// \file
/// What it costs that several processes run the roles: their links, each a spoke of a star that
/// copies cross up and down, and the processors' time that TCP takes.
#pragma once
#include <optional>
#include <vector>

#include "training/processes.hpp"
#include "training/profile/tcp_profile.hpp"

namespace paceline {

struct ProcessCosts {
  std::vector<int> of_role;  ///< by role, its process; empty: there is one
  int count = 1;
  bool own_computers = false;  ///< each has cores and memory of its own
  BytesPerSecond link;         ///< goodput of a process's link each way, of all its streams
  BytesPerSecond stream;       ///< likewise, of one stream alone
  /// What an empty copy takes from its begin to its acknowledgement; a message half of that.
  Seconds latency;
  double send = 0;     ///< processor seconds per byte, in the process that sends
  double receive = 0;  ///< likewise, that receives

  bool several() const { return count > 1; }
  int of(RoleId role) const {
    return of_role.empty() ? 0 : of_role[static_cast<std::size_t>(role)];
  }
  /// Whose cores and memory a role works with.
  int computer_of(RoleId role) const { return own_computers ? of(role) : 0; }
  int computers() const { return own_computers ? count : 1; }
};

/// What was given of the processes' links, else what was measured. `of_role`: by role, its process.
/// Throws std::runtime_error without a measurement.
ProcessCosts cost_of_processes(const Processes& given, const std::optional<TcpProfile>& measured,
                               std::vector<int> of_role);

}  // namespace paceline
