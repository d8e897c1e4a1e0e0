// SPDX-License-Identifier: MIT
/// \file
/// The costs of running the roles in several processes: their links, each a spoke of a star that
/// copies cross up and down, and the processor time of TCP.
#pragma once
#include <optional>
#include <vector>

#include "training/profile/tcp_profile.hpp"
#include "training/workload/processes.hpp"

namespace paceline {

struct ProcessCosts {
  std::vector<int> of_role;  ///< by role, its process; empty: there is one process
  int count = 1;
  bool own_computers = false;  ///< each process has cores and memory of its own
  BytesPerSecond link;         ///< goodput of a process's link in each direction, over all streams
  BytesPerSecond stream;       ///< goodput of a single stream
  /// From the begin of an empty copy to its acknowledgement; a message takes half of it.
  Seconds latency;
  double send = 0;     ///< processor seconds per byte in the sending process
  double receive = 0;  ///< processor seconds per byte in the receiving process

  bool several() const { return count > 1; }
  int of(RoleId role) const {
    return of_role.empty() ? 0 : of_role[static_cast<std::size_t>(role)];
  }
  /// The computer with the cores and memory that a role uses.
  int computer_of(RoleId role) const { return own_computers ? of(role) : 0; }
  int computers() const { return own_computers ? count : 1; }
};

/// The links as `given`, or else as `measured`. `of_role`: by role, its process. Throws
/// std::runtime_error without a measurement.
ProcessCosts cost_of_processes(const Processes& given, const std::optional<TcpProfile>& measured,
                               std::vector<int> of_role);

}  // namespace paceline
