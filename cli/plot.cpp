// SPDX-License-Identifier: MIT
#include "cli/command.hpp"
#include "cli/draw_figures.hpp"
#include "cli/results_folder.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

int plot(const Options& options, const Terminal& terminal) {
  if (options.operands.empty())
    throw SpecError("paceline: error: give at least one results folder");
  std::vector<std::string> arguments;
  for (const std::string& folder : options.operands) {
    expect_results(folder, {"results.csv", "fit.csv"});
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
