// SPDX-License-Identifier: MIT
#include "cli/completion.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

// The line is split here, because bash splits `--set model=x` and `results/x@seed=2` at characters
// of COMP_WORDBREAKS; candidates are then cut at the last of these. Readline keeps an @ in its
// word.
constexpr const char* kBegin =
    R"(# Completion of paceline(1) for bash. Made by `paceline completion bash`.
_paceline_offer() {
  local breaks=$COMP_WORDBREAKS head i
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$@" -- "$cur")
  [[ -n $breaks ]] || return 0
  head=${cur%"${cur##*["$breaks"]}"}
  head=${head%@}
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$head"}; done
}

_paceline_paths() {
  compopt -o filenames 2>/dev/null
  _paceline_offer "$1"
}

_paceline_value() {
  case $1 in
)";

constexpr const char* kRest = R"(
_paceline() {
  local line=${COMP_LINE:0:COMP_POINT} words cur command option= at=0 i
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  cur=${words[${#words[@]} - 1]}
  if ((${#words[@]} < 3)); then
    _paceline_offer -W "$(_paceline_commands) "
    return 0
  fi
  command=${words[1]}
  for ((i = 2; i < ${#words[@]} - 1; i++)); do
    option=
    if _paceline_takes_value "${words[i]}"; then
      option=${words[i]}
      ((i++))
    elif [[ ${words[i]} != -* ]]; then
      ((at++))
    fi
  done
  ((i == ${#words[@]})) || option=
  if [[ -z $option && $cur == --*=* ]]; then
    option=${cur%%=*}
    cur=${cur#*=}
  fi
  if [[ -n $option ]]; then
    _paceline_value "$option"
  elif [[ $cur == -* ]]; then
    _paceline_offer -W "$(_paceline_options "$command") "
  else
    _paceline_operands "$command" "$at"
  fi
  return 0
}

complete -F _paceline paceline
)";

/// The shell commands that offer candidates, on one line.
std::string offered(const Candidates& candidates) {
  std::string text;
  const auto add = [&](const std::string& command) {
    text += (text.empty() ? "" : "; ") + command;
  };
  if (!candidates.words.empty()) add("_paceline_offer -W '" + join(candidates.words, " ") + "'");
  if (candidates.files) add("_paceline_paths -f");
  if (candidates.folders) add("_paceline_paths -d");
  return text.empty() ? ":" : text;
}

std::string values() {
  std::string text;
  for (const OptionRow& option : option_rows()) {
    if (option.value.empty()) continue;
    if (option.name == "--set") {
      text +=
          "    --set)\n      if [[ $cur == *=* ]]; then\n        _paceline_offer -W '" +
          join(keys_to_set().assignments, " ") +
          "'\n      else\n        compopt -o nospace 2>/dev/null\n        _paceline_offer -W '" +
          join(keys_to_set().keys, " ") + "'\n      fi\n      ;;\n";
      continue;
    }
    const Candidates candidates = candidates_of(option);
    if (candidates.any()) text += "    " + option.name + ") " + offered(candidates) + " ;;\n";
  }
  return text + "  esac\n}\n";
}

std::string takes_value() {
  std::vector<std::string> names;
  for (const OptionRow& option : option_rows()) {
    if (!option.value.empty()) names.push_back(option.name);
  }
  return "\n_paceline_takes_value() {\n  case $1 in\n    " + join(names, " | ") +
         ") return 0 ;;\n  esac\n  return 1\n}\n";
}

std::string names_of(std::span<const CommandRow> commands) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands) names.push_back(command.name);
  return "\n_paceline_commands() {\n  echo '" + join(names, " ") + " --help --version'\n}\n";
}

std::string options(std::span<const CommandRow> commands) {
  std::string text = "\n_paceline_options() {\n  case $1 in\n";
  for (const CommandRow& command : commands) {
    std::vector<std::string> names;
    for (const OptionRow* option : options_of(command)) names.push_back(option->name);
    names.emplace_back("--help");
    text += "    " + command.name + ") echo '" + join(names, " ") + "' ;;\n";
  }
  return text + "  esac\n}\n";
}

std::string operands(std::span<const CommandRow> commands) {
  std::string text = "\n_paceline_operands() {\n  case $1:$2 in\n";
  for (const CommandRow& command : commands) {
    const std::vector<Candidates> all = operand_candidates(command);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string place = i + 1 < all.size() ? std::to_string(i) : "*";
      text += "    " + command.name + ":" + place + ") " + offered(all[i]) + " ;;\n";
    }
  }
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(std::span<const CommandRow> commands) {
  return kBegin + values() + takes_value() + names_of(commands) + options(commands) +
         operands(commands) + kRest;
}

}  // namespace paceline
