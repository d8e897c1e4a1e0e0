// SPDX-License-Identifier: MIT
/// \file
/// How the processes of a group find each other: process 0 listens where all know it, the others
/// come and say who they are, and then every two are connected. Processes that would not run the
/// same thing are refused: one clear error on all of them.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "exec/processes/connection.hpp"

namespace paceline {

/// What a process knows before it has met the others.
struct Membership {
  int rank = 0;
  int size = 1;
  std::vector<Endpoint> leader;      ///< where process 0 listens: any of these
  std::optional<Listener> listener;  ///< of process 0, if it listens already
  /// Where this process listens; 0: any port.
  std::uint16_t port = 0;
  std::chrono::milliseconds patience{60'000};  ///< until all must have come
  /// Of the group, once it has met: who says nothing for so long is lost.
  std::chrono::milliseconds silence{5'000};
};

/// Every two connected.
struct Mesh {
  std::vector<Connection> control;  ///< by process; of oneself: not open
  std::vector<std::string> hosts;   ///< names of the computers, by process
  std::vector<Endpoint> endpoints;  ///< where each listens
  Listener listener;                ///< one's own, for connections of streams
};

/// "5 s", "300 ms"
std::string to_text(std::chrono::milliseconds time);

/// Meets the others. `identity` says what is to be run by which program: it must be that of process
/// 0. Throws SpecError where the processes do not fit together, ConnectionError where some do not
/// come.
Mesh meet(Membership membership, const std::string& identity);

}  // namespace paceline
