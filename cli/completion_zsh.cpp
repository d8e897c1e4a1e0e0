// SPDX-License-Identifier: MIT
#include "cli/completion.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

constexpr const char* kBegin = R"(#compdef paceline
# Completion of paceline(1) for zsh. Made by `paceline completion zsh`.
_paceline_set() {
  if [[ $PREFIX == *=* ]]; then
    compadd -- $assignments
  else
    compadd -S '' -- $keys
  fi
}

_paceline() {
)";

constexpr const char* kBeforeCommands = R"(  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)";

/// Help as the text of `[...]` in a specification of `_arguments`, between single quotes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// The action of a specification.
std::string action(const Candidates& candidates) {
  const std::string words = join(candidates.words, " ");
  const char* paths = candidates.folders ? "_files -/" : candidates.files ? "_files" : "";
  if (words.empty()) return paths;
  if (*paths == '\0') return "(" + words + ")";
  return "{compadd -- " + words + "; " + paths + "}";
}

std::string of_option(const OptionRow& option, const CommandRow& command) {
  const std::string help = meaning_of(option, command);
  const bool many = option.name == "--set" || option.name == "--only";
  std::string text = "'" + std::string(many ? "*" : "") + option.name;
  if (!option.value.empty() && option.name.starts_with("--")) text += "=";
  text += "[" + escaped(help) + "]";
  if (!option.value.empty()) {
    text += ":" + escaped(option.value) + ":" +
            (option.name == "--set" ? "_paceline_set" : action(candidates_of(option)));
  }
  return text + "'";
}

std::string of_command(const CommandRow& command) {
  std::vector<std::string> lines{"'--help[options of the command]'"};
  for (const OptionRow* option : options_of(command)) lines.push_back(of_option(*option, command));
  const std::vector<Candidates> operands = operand_candidates(command);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string place = i + 1 < operands.size() ? std::to_string(i + 1) : "*";
    lines.push_back("'" + place + ":operand:" + action(operands[i]) + "'");
  }
  return "    " + command.name + ")\n      _arguments \\\n        " + join(lines, " \\\n        ") +
         "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(std::span<const CommandRow> commands) {
  std::string text = kBegin;
  text += "  local -a commands keys assignments\n  commands=(\n";
  for (const CommandRow& command : commands) {
    text += "    '" + command.name + ":" + escaped(command.help) + "'\n";
  }
  text += "  )\n  keys=(" + join(keys_to_set().keys, " ") + ")\n  assignments=(" +
          join(keys_to_set().assignments, " ") + ")\n" + kBeforeCommands;
  for (const CommandRow& command : commands) text += of_command(command);
  return text + "  esac\n}\n\n_paceline \"$@\"\n";
}

}  // namespace paceline
