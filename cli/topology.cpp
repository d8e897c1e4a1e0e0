// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "cli/command.hpp"
#include "experiments/diagnostics.hpp"
#include "experiments/whole_file.hpp"
#include "experiments/yaml.hpp"
#include "topology/discover/discover.hpp"
#include "topology/drawing.hpp"
#include "topology/import/import.hpp"
#include "topology/import/topo_matrix.hpp"

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

/// The file's text, or what comes in at "-".
std::string text_of(const std::string& file) {
  if (file != "-") return read_text_file(file);
  constexpr std::size_t kMostBytes = 16u << 20;
  std::string text;
  std::array<char, 1 << 16> part{};
  while (text.size() <= kMostBytes && std::cin.read(part.data(), part.size()).gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
  }
  return text;
}

/// Writes the machine to -o or to standard output, and what was assumed beside it.
int give_out(const ImportedMachine& machine, const std::string& made, const Options& options,
             const Terminal& terminal) {
  const std::string text = machine_yaml(machine, made);
  if (options.output.empty()) {
    terminal.out << text;
  } else {
    write_whole(options.output, text);
  }
  if (options.quiet) return kDone;
  for (const std::string& note : machine.notes) terminal.err << "note: " << note << "\n";
  return kDone;
}

int import(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 2) {
    throw SpecError("paceline: error: topology import takes one file (- reads standard input)");
  }
  const std::string& file = options.operands[1];
  const std::string name = file == "-" ? "standard input" : file;
  const ImportedMachine machine =
      import_topology(name, text_of(file), {options.gpu, options.nvswitch});
  const std::string shown = std::filesystem::path(name).filename().string();
  return give_out(machine, "Imported by `paceline topology import` from " + quote(shown), options,
                  terminal);
}

int discover(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 1) {
    throw SpecError("paceline: error: topology discover takes no file (it looks at this computer)");
  }
  const ImportedMachine machine = discover_machine("/", {options.gpu, options.nvswitch});
  return give_out(machine, "Found by `paceline topology discover`", options, terminal);
}

int show(const Options& options, const Terminal& terminal) {
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
  terminal.out << (options.matrix ? matrix_of(machine).text() : to_text(machine));
  return kDone;
}

struct Verb {
  const char* name;
  bool draws;  ///< and else writes a machine
  int (*run)(const Options&, const Terminal&);
};
constexpr std::array<Verb, 3> kVerbs{
    {{"show", true, show}, {"discover", false, discover}, {"import", false, import}}};

/// The verbs share a table of options, and each takes its own.
void check_options(const Verb& verb, const Options& options) {
  struct Given {
    const char* name;
    bool draws;
    bool given;
  };
  const std::array<Given, 7> all{{{"--svg", true, !options.svg.empty()},
                                  {"--dot", true, options.dot},
                                  {"--matrix", true, options.matrix},
                                  {"-o", false, !options.output.empty()},
                                  {"--gpu", false, !options.gpu.empty()},
                                  {"--nvswitch", false, options.nvswitch > 0},
                                  {"--quiet", false, options.quiet}}};
  for (const Given& option : all) {
    if (!option.given || option.draws == verb.draws) continue;
    throw SpecError(std::string("paceline: error: topology ") + verb.name + " takes no " +
                    option.name);
  }
}

int topology(const Options& options, const Terminal& terminal) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  if (options.operands.empty()) {
    throw SpecError("paceline: error: topology needs a verb (known: " + join(names) + ")");
  }
  for (const Verb& verb : kVerbs) {
    if (options.operands.front() != verb.name) continue;
    check_options(verb, options);
    return verb.run(options, terminal);
  }
  throw SpecError("paceline: error: " + unknown_name("verb", options.operands.front(), names));
}

}  // namespace

CommandRow topology_command() {
  return {"topology",
          "show MACHINE|discover|import FILE",
          "draw a machine; find this computer's; read another tool's file",
          {"-o", "--gpu", "--nvswitch", "--svg", "--dot", "--matrix", "--quiet"},
          topology};
}

}  // namespace paceline
