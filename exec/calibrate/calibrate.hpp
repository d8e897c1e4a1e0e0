// SPDX-License-Identifier: MIT
/// \file
/// Measures this computer through the same threads and queues that executions use: what a copy, a
/// decision, a timed wait and a network's layers take. Seconds of work; the simulator's only source
/// for `machine: this`.
#pragma once
#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Cores, copies, latencies, timers (about two seconds).
HostFigures measure_host();

/// A network's times on one worker (about a second), in the way the point trains it: its batch and
/// optimizer. Requires that the CPU can train it.
NetworkProfile measure_network(const ExperimentPoint& point, const HostFigures& host);

}  // namespace paceline
