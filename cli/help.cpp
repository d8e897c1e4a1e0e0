// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include "cli/wrapped_text.hpp"

namespace paceline {
namespace {

std::string usage_of(const CommandRow& command) {
  return command.name + (command.operands.empty() ? "" : " " + command.operands);
}

}  // namespace

std::span<const ExitCode> exit_codes() {
  static constexpr std::array<ExitCode, 5> kCodes{
      {{"0", "done"},
       {"1",
        "a point failed, missed a bound of `expect` or trained until a loss was NaN or infinite "
        "(code 0 if it was only above `train.loss_bound`), results differ (diff), or could not be "
        "written"},
       {"2", "the input or the command line is wrong, or the results folder cannot be written"},
       {"77", "not possible on this computer (no GPU, no Graphviz, ...)"},
       {"130", "interrupted by Ctrl-C; finished points are kept"}}};
  return kCodes;
}

std::string help_of(std::span<const CommandRow> commands) {
  std::string text =
      "Paceline predicts and measures how distributed training scales.\n\n"
      "usage: paceline COMMAND [OPTION...] [FILE...]\n\n";
  std::size_t widest = 0;
  for (const CommandRow& command : commands) {
    widest = std::max(widest, usage_of(command).size());
  }
  Glossary table(widest);
  for (const CommandRow& command : commands) table.add(usage_of(command), command.help);
  text += table.text() +
          "\n`paceline COMMAND --help` lists the options of a command.\n"
          "`paceline list` names all models, machines, policies, ...; `paceline list NAME`\n"
          "describes one.\n\n"
          "exit codes:\n";
  Glossary codes(3);
  for (const ExitCode& one : exit_codes()) codes.add(one.code, one.meaning);
  return text + codes.text();
}

std::string help_of(const CommandRow& command) {
  const std::string usage = "usage: paceline " + command.name;
  std::string text = usage + " " +
                     wrapped((command.options.empty() ? "" : "[OPTION...] ") + command.operands,
                             usage.size() + 1, usage.size() + 1) +
                     "\n" + wrapped(command.help, 0, 0);
  if (!command.details.empty()) text += "\n" + command.details;
  if (command.options.empty()) return text;
  Glossary table(18);
  for (const OptionRow& option : option_rows()) {
    if (std::ranges::find(command.options, option.name) == command.options.end()) continue;
    const std::string name = option.name + (option.value.empty() ? "" : " " + option.value);
    table.add(name, meaning_of(option, command));
  }
  return text + "\noptions:\n" + table.text();
}

}  // namespace paceline
