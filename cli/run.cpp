// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"

namespace paceline {

CommandRow run_experiment_command() {
  return {"run",
          "FILE...",
          "predict, execute what this hardware allows, draw and compare",
          {"-o", "--set", "--seed", "-j", "--device", "--trace", "--save", "--load", "--processes",
           "--rank", "--address", "--secret-file", "--plot", "--no-plot", "--quiet", "--json",
           "--markdown"},
          [](const Options& options, const Terminal& terminal) {
            return run_experiments(options, terminal, SourceSelection{true, true});
          }};
}

}  // namespace paceline
