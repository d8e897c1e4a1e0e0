// SPDX-License-Identifier: MIT
/// \file
/// A point of three workers that takes only its delays: 60 mini-batches of 20 ms.
#pragma once
#include <string>

#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {

inline ExperimentFile small_experiment(const std::string& aggregation, const std::string& update,
                                       const std::string& more = "") {
  return load_experiment_text(
      "small.yaml",
      "name: small\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 60\nwarmup: 0\nworkers: 3\nprocesses: {count: 3}\n"
      "stragglers: {compute: {kind: constant, value: 20 ms}}\naggregation: " +
          aggregation + "\nupdate: " + update + "\n" + more,
      {});
}

inline Setting small_setting(const ExperimentFile& file) {
  Profile profile = free_computer(file.points.front());
  profile.tcp.emplace();
  profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e9};
  return make_prediction(file.points.front(), &profile);
}

}  // namespace paceline
