// SPDX-License-Identifier: MIT
/// \file
/// The questions that `paceline new` writes a first experiment for: a table, one row each.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paceline {

struct FirstQuestion {
  const char* name;  ///< of --question, and of the experiment if it is given none
  const char* help;  ///< one line
  /// The file's opening comment. `{model}` and `{machine}` stand for the names of these.
  const char* question;
  /// Keys and their values as flow YAML. `nodes` and `network` make a cluster of the machine.
  std::vector<std::pair<const char*, const char*>> values;
  /// The two commands that answer it, without the program's name. `{file}` stands for the file.
  std::pair<const char*, const char*> next{"simulate {file}", "explain {file}"};
};

/// The named questions, in the order that help shows.
std::span<const FirstQuestion> first_questions();

/// The question of a file that is written without --question.
const FirstQuestion& question_of_scaling();

/// Throws SpecError if there is no question of this name.
const FirstQuestion& find_question(const std::string& name);

}  // namespace paceline
