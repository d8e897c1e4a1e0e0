// SPDX-License-Identifier: MIT
#include "cli/draft_interview.hpp"

#include <charconv>

#include "cli/wrapped_text.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {

/// The answer to one prompt; `usual` for an empty line.
std::string Interview::answer(const std::string& prompt, const std::string& usual) {
  const bool list = usual.starts_with('[');
  out << prompt << " " << (list ? usual : "[" + usual + "]") << ": " << std::flush;
  std::string line;
  if (!std::getline(in, line)) {
    out << "\n";
    throw SpecError("paceline: error: standard input ended before the last answer");
  }
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return usual;
  return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

const FirstQuestion& Interview::question() {
  out << "Questions that have a first experiment:\n";
  Glossary list(16);
  int number = 0;
  for (const FirstQuestion& one : first_questions())
    list.add(std::to_string(++number) + " " + one.name, one.help);
  const FirstQuestion& other = question_of_scaling();
  list.add(std::to_string(++number) + " other", other.help);
  out << list.text();
  while (true) {
    const std::string given = answer("question, by name or number", "other");
    int chosen = 0;
    std::from_chars(given.data(), given.data() + given.size(), chosen);
    if (given == "other" || chosen == number) return other;
    if (chosen > 0 && chosen < number)
      return first_questions()[static_cast<std::size_t>(chosen - 1)];
    try {
      return find_question(given);
    } catch (const SpecError& error) {
      out << error.what() << "\n";
    }
  }
}

void Interview::keys(ExperimentDraft& draft, bool with_policies, const std::string& path) {
  struct Prompt {
    const char* key;
    const char* text;
    bool of_policies;
  };
  constexpr Prompt kPrompts[] = {
      {"model", "model (paceline list models)", false},
      {"machine", "machine (paceline list machines)", false},
      {"software", "framework (paceline list software)", false},
      {"batch", "items per worker and step", false},
      {"workers", "numbers of workers", false},
      {"update", "update policies (paceline list policies)", true},
      {"aggregation", "aggregation (paceline list aggregations)", true},
  };
  for (const Prompt& prompt : kPrompts) {
    const std::string usual = draft.value_of(prompt.key, path);
    if (usual.empty() || (prompt.of_policies && !with_policies)) continue;
    while (true) {
      const std::string given = answer(prompt.text, usual);
      if (given == usual) break;
      ExperimentDraft changed = draft;
      changed.set(prompt.key, given, prompt.key);
      const std::string problem = changed.problem_of(prompt.key, path);
      if (problem.empty()) {
        draft = changed;
        break;
      }
      out << problem;
    }
  }
}

}  // namespace paceline
