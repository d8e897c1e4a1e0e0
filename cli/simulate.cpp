// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"

namespace paceline {

CommandRow simulate_command() {
  return {"simulate",
          "FILE...",
          "predict every point of the experiment",
          {"-o", "--set", "--seed", "-j", "--trace", "--unfolded", "--plot", "--no-plot", "--quiet",
           "--json"},
          [](const Options& options, const Terminal& terminal) {
            return run_experiments(options, terminal, SourceSelection{true, false});
          }};
}

}  // namespace paceline
