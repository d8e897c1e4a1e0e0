// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/experiment_run.hpp"

namespace paceline {

CommandRow check_command() {
  return {"check",
          "FILE...",
          "validate only; silent and 0 when good",
          {"--set", "--seed"},
          [](const Options& options, const Terminal&) {
            load_experiments(options);  // throws what is wrong
            return static_cast<int>(kDone);
          }};
}

}  // namespace paceline
