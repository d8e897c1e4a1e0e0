// SPDX-License-Identifier: MIT
/// \file
/// The rendezvous of a group's processes: all others join process 0 at its address, then every two
/// are connected. A process that would run something else is refused, with the same error on all
/// processes.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "exec/processes/connection.hpp"
#include "exec/processes/endpoint.hpp"
#include "exec/processes/listener.hpp"
#include "exec/processes/secret.hpp"

namespace paceline {

/// A process's own settings, before it has met the others.
struct Membership {
  int rank = 0;
  int size = 1;
  Secret secret;                 ///< of the group; random by default, so that no process can join
  std::vector<Endpoint> leader;  ///< the possible addresses of process 0
  std::optional<Listener> listener;  ///< of process 0, if it already listens
  /// The port on which this process listens; 0: any port.
  std::uint16_t port = 0;
  std::chrono::milliseconds patience{60'000};  ///< time for all processes to join
  /// Limit in the complete group: a process without a heartbeat for this time is lost.
  std::chrono::milliseconds silence{5'000};
};

/// A complete group: every two processes are connected.
struct Mesh {
  std::vector<Connection> control;  ///< by process; the own one is not open
  std::vector<std::string> hosts;   ///< names of the computers, by process
  std::vector<Endpoint> endpoints;  ///< addresses at which the processes listen
  Secret secret;
  Listener listener;  ///< the own one, for connections of streams
};

/// "5 s", "300 ms"
std::string to_text(std::chrono::milliseconds time);

/// Connects to all other processes. `identity` names the program and its run; it must equal that of
/// process 0. Throws SpecError if the processes do not match, ConnectionError if processes are
/// missing.
Mesh meet(Membership membership, const std::string& identity);

}  // namespace paceline
