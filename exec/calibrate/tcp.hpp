// SPDX-License-Identifier: MIT
/// \file
/// Measures what TCP between two processes takes, through the streams that executions use: the
/// simulator's figures for points that several processes run.
#pragma once
#include "exec/processes/group.hpp"
#include "training/profile/tcp_profile.hpp"

namespace paceline {

/// The link from process 0 to process 1: a few seconds, which a slow link makes longer. All
/// processes of the group call it; only on process 0 the result counts.
TcpProfile measure_link(Group& group);

/// The same between two processes' worth of threads on this computer.
TcpProfile measure_loopback();

}  // namespace paceline
