// SPDX-License-Identifier: MIT
/// \file
/// Measures this computer through the threads and queues that executions use: the time of a copy, a
/// decision, a timed wait and a network's layers. Takes seconds. The profile is the simulator's
/// only source for `machine: this`.
#pragma once
#include "training/experiment/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Cores, copies, latencies and timers; takes about two seconds.
HostFigures measure_host();

/// A network's times on one worker, with the batch and the optimizer of `point`; takes about a
/// second. Requires that the CPU can train the network.
NetworkProfile measure_network(const ExperimentPoint& point, const HostFigures& host);

}  // namespace paceline
