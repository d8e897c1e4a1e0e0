// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"

namespace paceline {

CommandRow execute_command() {
  return {
      "execute",
      "FILE...",
      "run every point for real, one at a time",
      {"-o", "--set", "--seed", "--device", "--trace", "--save", "--load", "--processes", "--rank",
       "--address", "--secret-file", "--plot", "--no-plot", "--quiet", "--json", "--markdown"},
      [](const Options& options, const Terminal& terminal) {
        return run_experiments(options, terminal, SourceSelection{false, true});
      }};
}

}  // namespace paceline
