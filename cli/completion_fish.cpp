// SPDX-License-Identifier: MIT
#include "cli/completion.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// The flags of `complete` that offer candidates as operands, or as the value of an option.
std::string flags(const Candidates& candidates) {
  std::vector<std::string> flags;
  flags.emplace_back(candidates.files ? "-F" : "-f");
  std::string words = join(candidates.words, " ");
  if (candidates.folders)
    words += std::string(words.empty() ? "" : " ") + "(__fish_complete_directories)";
  if (!words.empty()) flags.push_back("-a " + quoted(words));
  return join(flags, " ");
}

std::string of_option(const OptionRow& option, const CommandRow& command) {
  const bool is_long = option.name.starts_with("--");
  std::string text = is_long ? " -l " + option.name.substr(2) : " -s " + option.name.substr(1);
  if (option.name == "--set") {
    const SettableKeys& settable = keys_to_set();
    text += " -r -f -a " + quoted(join(settable.keys, " ") + " " + join(settable.assignments, " "));
  } else if (!option.value.empty()) {
    text += " -r " + flags(candidates_of(option));
  }
  return text + " -d " + quoted(meaning_of(option, command));
}

std::string of_command(const CommandRow& command) {
  const std::string seen = "__fish_seen_subcommand_from " + command.name;
  const std::string begin = "complete -c paceline -n ";
  std::string text =
      begin + "__fish_use_subcommand -f -a " + command.name + " -d " + quoted(command.help) + "\n";
  for (const OptionRow* option : options_of(command)) {
    text += begin + quoted(seen) + of_option(*option, command) + "\n";
  }
  const std::vector<Candidates> operands = operand_candidates(command);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string when = seen;
    if (operands.size() > 1) {
      when += std::string(i == 0 ? "; and not" : "; and") + " __fish_seen_subcommand_from " +
              join(operands.front().words, " ");
    }
    text += begin + quoted(when) + " " + flags(operands[i]) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(std::span<const CommandRow> commands) {
  std::string text =
      "# Completion of paceline(1) for fish. Made by `paceline completion fish`.\n"
      "complete -c paceline -f\n"
      "complete -c paceline -l help -d 'help of the program or of a command'\n"
      "complete -c paceline -n __fish_use_subcommand -l version -d 'version of the program'\n";
  for (const CommandRow& command : commands) text += of_command(command);
  return text;
}

}  // namespace paceline
