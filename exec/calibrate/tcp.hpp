// SPDX-License-Identifier: MIT
/// \file
/// Measures TCP between two processes through the streams that executions use: the simulator's
/// figures for points that run in several processes.
#pragma once
#include "exec/processes/group.hpp"
#include "training/profile/tcp_profile.hpp"

namespace paceline {

/// The link from process 0 to process 1; takes a few seconds, longer on a slow link. All processes
/// of the group must call it; only the result of process 0 is valid.
TcpProfile measure_link(Group& group);

/// The same link between two groups of threads on this computer.
TcpProfile measure_loopback();

}  // namespace paceline
