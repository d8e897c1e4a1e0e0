// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "experiments/diagnostics.hpp"
#include "experiments/whole_file.hpp"
#include "topology/drawing.hpp"

namespace paceline {
namespace {

/// Typed on the command line, so a path is relative to the working directory.
Machine typed_machine(const std::string& name) {
  if (name == "this") {
    throw SpecError("paceline: error: 'this' has no file (`paceline calibrate` shows its figures)");
  }
  const bool bare = name.find('/') == std::string::npos && !name.ends_with(".yaml");
  if (bare && name != "ideal") {
    const std::vector<std::string> names = preset_names(embedded_machines());
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw SpecError("paceline: error: " + unknown_name("machine", name, names));
    }
  }
  if (!bare && !std::filesystem::is_regular_file(name)) {
    throw SpecError("paceline: error: cannot open machine file " + quote(std::string_view(name)));
  }
  return load_machine(Tree::scalar(name));
}

int topology(const Options& options, const Terminal& terminal) {
  const std::vector<std::string> verbs{"show"};
  if (options.operands.empty() || options.operands.front() != "show") {
    const std::string verb = options.operands.empty() ? "" : options.operands.front();
    throw SpecError("paceline: error: " + (verb.empty() ? "topology needs a verb (known: show)"
                                                        : unknown_name("verb", verb, verbs)));
  }
  if (options.operands.size() != 2) {
    throw SpecError("paceline: error: topology show takes one machine: a preset's name or a file");
  }
  const Machine machine = typed_machine(options.operands[1]);
  if (!options.svg.empty()) {
    const std::optional<std::string> svg = to_svg(machine);
    if (!svg) {
      terminal.err << "paceline: error: no SVG without Graphviz's `dot`\n";
      return kNotHere;
    }
    write_whole(options.svg, *svg);
    return kDone;
  }
  if (options.dot) {
    terminal.out << to_dot(machine);
    return kDone;
  }
  terminal.out << to_text(machine);
  return kDone;
}

}  // namespace

CommandRow topology_command() {
  return {"topology", "show MACHINE", "draw a machine", {"--svg", "--dot"}, topology};
}

}  // namespace paceline
