// SPDX-License-Identifier: MIT
// A first experiment, from options or from answers at a terminal.
#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "cli/colour.hpp"
#include "cli/command.hpp"
#include "cli/draft_interview.hpp"
#include "cli/experiment_draft.hpp"
#include "cli/kept_file.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/whole_file.hpp"

namespace paceline {
namespace {

/// The file to write: -o, or NAME.yaml. NAME may have the suffix already.
std::filesystem::path file_of(const Options& options, const FirstQuestion& question) {
  if (!options.output.empty()) return options.output;
  std::string name = options.operands.empty() ? question.name : options.operands.front();
  if (!name.ends_with(".yaml")) name += ".yaml";
  return name;
}

/// A path on the command line as the file names it; any other value unchanged.
std::string as_in_file(const std::string& value, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const bool path = value.find('/') != std::string::npos || value.ends_with(".yaml");
  std::error_code unknown;
  if (!path || fs::path(value).is_absolute() || !fs::is_regular_file(value, unknown)) return value;
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  const std::string near = fs::absolute(value).lexically_normal().lexically_relative(folder);
  const bool named = near.find('/') != std::string::npos || near.ends_with(".yaml");
  return named ? near : "./" + near;  // a bare name is that of a preset
}

/// The text of the file. Its folder exists meanwhile, so that paths relative to it can be checked;
/// folders that were made for this are removed if the check fails.
std::string checked_text(const ExperimentDraft& draft, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::vector<fs::path> made;  // the innermost first
  for (fs::path folder = file.parent_path(); !folder.empty() && !fs::exists(folder);
       folder = folder.parent_path())
    made.push_back(folder);
  std::error_code failed;  // reported when the file is written
  if (!made.empty()) fs::create_directories(made.front(), failed);
  try {
    return draft.checked_text(file.string());
  } catch (const SpecError&) {
    for (const fs::path& folder : made) fs::remove(folder, failed);
    throw;
  }
}

std::string next_command(std::string command, const std::filesystem::path& file,
                         const std::string& machine) {
  const std::string words = "{file}";
  command.replace(command.find(words), words.size(), shell_word(file.string()));
  // a computer at hand can be measured as well as predicted
  if (machine == "this" && command.starts_with("simulate ")) command.replace(0, 8, "run");
  return "  paceline " + command + "\n";
}

int write_first(const Options& options, const Terminal& terminal) {
  if (options.operands.size() > 1)
    throw SpecError("paceline: error: new takes one NAME (lists have commas: --workers 1,2,4)");
  const bool given =
      !options.question.empty() || !options.machine.empty() || !options.first_keys.empty();
  const bool interactive = !given && terminal.live && is_terminal(STDIN_FILENO);
  Interview interview{std::cin, terminal.err};
  const FirstQuestion& question = !options.question.empty() ? find_question(options.question)
                                  : interactive             ? interview.question()
                                                            : question_of_scaling();
  const std::filesystem::path file = file_of(options, question);
  expect_absent(file, options);
  ExperimentDraft draft(question);
  if (!options.operands.empty()) {
    const std::string& name = options.operands.front();
    draft.set("name", name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name, "NAME");
  }
  if (!options.machine.empty())
    draft.set("machine", as_in_file(options.machine, file), "--machine");
  for (const auto& [key, value] : options.first_keys) {
    const bool named = key == "model" || key == "software";
    draft.set(key, named ? as_in_file(value, file) : value, "--" + key);
  }
  const bool policies = &question == &question_of_scaling();
  if (interactive) interview.keys(draft, policies, file.string());
  write_whole(file, checked_text(draft, file));
  const std::string machine = draft.value_of("machine", file.string());
  terminal.out << "wrote " << file.string() << "; next:\n"
               << next_command(question.next.first, file, machine)
               << next_command(question.next.second, file, machine);
  return kDone;
}

}  // namespace

CommandRow new_command() {
  CommandRow row{"new",
                 "[NAME]",
                 "write a first experiment, with comments, that `check` accepts",
                 {"-o", "--question", "--model", "--machine", "--software", "--nodes", "--network",
                  "--precision", "--batch", "--workers", "--update", "--aggregation",
                  "--stragglers", "--input", "--force"},
                 write_first,
                 "experiment file to write (default: NAME.yaml); a file that exists is kept"};
  Glossary questions(14);
  for (const FirstQuestion& one : first_questions()) questions.add(one.name, one.help);
  row.details =
      "Values are those of the file; several make a sweep: --update sync,async. At a\n"
      "terminal and without options, the command asks for them.\n\nquestions:\n" +
      questions.text();
  row.completes = {"<questions>"};
  row.meanings = {{"--machine", "machine: a preset, a path or this"}};
  return row;
}

}  // namespace paceline
