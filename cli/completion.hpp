// SPDX-License-Identifier: MIT
/// \file
/// Scripts that complete the command line in a shell, made from the tables of commands and options.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace paceline {

/// The words, and kinds of files, that can stand at one place of a command line.
struct Candidates {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;

  bool any() const { return files || folders || !words.empty(); }
};

/// The candidates for the value of an option. `--set` has `keys_to_set` instead.
Candidates candidates_of(const OptionRow& option);

/// The candidates for the operands of a command; the last one repeats.
std::vector<Candidates> operand_candidates(const CommandRow& command);

/// The words that a key of an experiment can be set to with `--set`: "model=resnet50".
struct SettableKeys {
  std::vector<std::string> keys;         ///< "model="
  std::vector<std::string> assignments;  ///< "model=resnet50"
};
const SettableKeys& keys_to_set();

/// The options of a command, in the order of help.
std::vector<const OptionRow*> options_of(const CommandRow& command);

std::string bash_completion(std::span<const CommandRow> commands);
std::string zsh_completion(std::span<const CommandRow> commands);
std::string fish_completion(std::span<const CommandRow> commands);

}  // namespace paceline
