// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/draw_figures.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

/// The results folders inside `place`, as a user would type them.
std::vector<std::string> results_in(const std::filesystem::path& place) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    if (std::filesystem::is_regular_file(entry.path() / "results.csv", error)) {
      folders.push_back(entry.path().lexically_normal().string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// Throws SpecError for a folder without results; the message names folders that have results.
void expect_results(const std::string& folder) {
  std::error_code error;
  for (const char* name : {"results.csv", "fit.csv"}) {
    if (std::filesystem::is_regular_file(std::filesystem::path(folder) / name, error)) return;
  }
  std::vector<std::string> known = results_in(folder);
  if (known.empty()) known = results_in("results");
  constexpr std::size_t kMost = 10;
  const std::size_t more = known.size() > kMost ? known.size() - kMost : 0;
  known.resize(known.size() - more);
  std::string hint = "paceline simulate, execute and run write one";
  if (!known.empty()) hint = "with results: " + join(known);
  if (more > 0) hint += " and " + std::to_string(more) + " more";
  const bool there = std::filesystem::exists(folder, error);
  const std::string problem = there ? "no results.csv in this folder" : "no such folder";
  throw SpecError(folder + ": error: " + problem + " (" + hint + ")");
}

int plot(const Options& options, const Terminal& terminal) {
  if (options.operands.empty())
    throw SpecError("paceline: error: give at least one results folder");
  std::vector<std::string> arguments;
  for (const std::string& folder : options.operands) {
    expect_results(folder);
    arguments.push_back(folder.starts_with("-") ? "./" + folder : folder);
  }
  if (!options.output.empty()) {
    arguments.emplace_back("-o");
    arguments.push_back(options.output);
  }
  const Drawing drawing = draw_figures(arguments);
  if (!drawing.problem.empty()) terminal.err << drawing.problem << "\n";
  if (!drawing.output.empty() && !options.quiet) terminal.out << drawing.output << "\n";
  return drawing.code;
}

}  // namespace

CommandRow plot_command() {
  return {"plot",
          "DIR...",
          "draw the figures of one or several results folders",
          {"-o", "--quiet"},
          plot,
          "folder of the figures (default: DIR, or beside the first DIR)"};
}

}  // namespace paceline
