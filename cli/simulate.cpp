// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"

namespace paceline {
namespace {

/// Simulates the points of a sweep, or the part of them that this process was started for.
int simulate_files(Options options, const Terminal& terminal) {
  if (!options.shard) {
    options.shard = launched_shard();
    // a launcher starts a process for each core, unless its user says otherwise
    if (options.shard && !options.jobs_given) options.jobs = 1;
  }
  return run_experiments(options, terminal, SourceSelection{true, false});
}

}  // namespace

CommandRow simulate_command() {
  return {"simulate",
          "FILE...",
          "predict every point of the experiment",
          {"-o", "--set", "--seed", "-j", "--shard", "--trace", "--save", "--load", "--unfolded",
           "--plot", "--no-plot", "--quiet", "--json", "--markdown"},
          [](const Options& options, const Terminal& terminal) {
            return simulate_files(options, terminal);
          }};
}

}  // namespace paceline
