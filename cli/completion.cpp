// SPDX-License-Identifier: MIT
#include "cli/completion.hpp"

#include <array>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

struct Shell {
  const char* name;
  std::string (*script)(std::span<const CommandRow> commands);
};
constexpr std::array<Shell, 3> kShells{
    {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}}};

int completion(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 1) {
    throw SpecError("paceline: error: give one shell: bash, zsh or fish");
  }
  std::vector<std::string> names;
  for (const Shell& shell : kShells) {
    if (options.operands.front() == shell.name) {
      terminal.out << shell.script(commands());
      return kDone;
    }
    names.emplace_back(shell.name);
  }
  throw SpecError("paceline: error: " + unknown_name("shell", options.operands.front(), names));
}

}  // namespace

CommandRow completion_command() {
  return {"completion",
          "SHELL",
          "print the script that completes commands in bash, zsh or fish",
          {},
          completion,
          "",
          "For this shell alone: source <(paceline completion bash)\n"
          "`cmake --install` puts the scripts where the shells look for them.\n",
          {"bash zsh fish"}};
}

}  // namespace paceline
