// SPDX-License-Identifier: MIT
/// \file
/// Strategies over several processes, and the order that the simulator predicts for them, for tests
/// of the order on any devices.
#pragma once
#include <ostream>
#include <string>

#include "sim/costs/prediction.hpp"
#include "tests/exec/decided_by_delays.hpp"

namespace paceline {

struct ProcessCase {
  int processes;
  std::string aggregation;
  std::string update;
};

inline void PrintTo(const ProcessCase& one, std::ostream* out) {
  *out << one.processes << " processes, " << one.aggregation << " " << one.update;
}

inline std::string strategy(const ProcessCase& one) {
  return "aggregation: " + one.aggregation +
         "\nprocesses: {count: " + std::to_string(one.processes) +
         ", bandwidth: 1e9 GB/s, latency: 0 s}\n" +
         (one.update.empty() ? "" : "update: " + one.update + "\n");
}

/// On processes with links that cost nothing. \param arithmetic of a mini-batch
inline Prediction setting_on_processes(const ExperimentFile& file, Seconds arithmetic) {
  Profile profile = free_computer(file.points.front());
  profile.networks.front().forward.front() = arithmetic;
  profile.tcp.emplace();
  profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e18};
  Prediction setting = make_prediction(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  return setting;
}

inline ClockRun on_simulated_processes(const ExperimentFile& file, Seconds arithmetic) {
  return on_simulator(setting_on_processes(file, arithmetic));
}

}  // namespace paceline
