// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "cli/command.hpp"
#include "cli/kept_file.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/whole_file.hpp"
#include "experiments/language/yaml.hpp"
#include "topology/discover/discover.hpp"
#include "topology/drawing.hpp"
#include "topology/import/import.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

/// Builds an imported or discovered machine under the name that experiments use.
Machine built(const ImportedMachine& found, const std::string& name) {
  Diagnostics diagnostics;
  Machine machine = build_machine(found.spec, name, diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

/// This computer as discovered, without measurements: its GPUs, switches and links.
Machine found_machine() {
  return built(discover_machine("/"), "this");
}

/// A machine named on the command line; a path is relative to the working directory.
Machine typed_machine(const std::string& name) {
  if (name == "this") return found_machine();
  const bool bare = name.find('/') == std::string::npos && !name.ends_with(".yaml");
  if (bare && name != "ideal") {
    std::vector<std::string> names = preset_names(embedded_machines());
    names.insert(names.end(), {"this", "ideal"});
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw SpecError("paceline: error: " + unknown_name("machine", name, names));
    }
  }
  if (!bare && !std::filesystem::is_regular_file(name)) {
    throw SpecError("paceline: error: cannot open machine file " + quote(std::string_view(name)));
  }
  return load_machine(Tree::scalar(name));
}

/// The text of a file, or of standard input for "-".
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

/// Writes the machine to -o or to standard output, and its assumptions to standard error.
int give_out(const ImportedMachine& machine, const std::string& command, const Options& options,
             const Terminal& terminal) {
  const std::string text = machine_yaml(machine, command);
  if (options.output.empty()) {
    terminal.out << text;
  } else {
    expect_absent(options.output, options);
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
  const ImportedMachine machine = import_topology(
      name, text_of(file), {options.gpu, options.nvswitch, options.node, options.link});
  const std::string shown = std::filesystem::path(name).filename().string();
  return give_out(machine, "Imported by `paceline topology import` from " + quote(shown), options,
                  terminal);
}

int discover(const Options& options, const Terminal& terminal) {
  if (!options.node.empty() || !options.link.empty()) {
    throw SpecError("paceline: error: topology discover takes no --node and no --link");
  }
  if (options.operands.size() != 1) {
    throw SpecError("paceline: error: topology discover takes no file (it looks at this computer)");
  }
  const ImportedMachine machine = discover_machine("/", {options.gpu, options.nvswitch});
  if (options.output.empty() && terminal.out_live) {
    terminal.out << to_text(built(machine, "this"))
                 << "\n`paceline topology discover -o FILE` writes the machine file.\n";
    return kDone;
  }
  return give_out(machine, "Found by `paceline topology discover`", options, terminal);
}

/// The machine's vertices and its links, one entry per direction.
Tree links_json(const Machine& machine) {
  const auto name = [&](int vertex) {
    return Tree::quoted_scalar(machine.vertices()[static_cast<std::size_t>(vertex)].name);
  };
  std::vector<Tree> vertices;
  for (const Vertex& vertex : machine.vertices()) {
    Tree& row = vertices.emplace_back(Tree::map());
    row.set("name", Tree::quoted_scalar(vertex.name));
    row.set("kind", Value<VertexKind>::write(vertex.kind));
  }
  std::vector<Tree> links;
  for (const LinkDirection& link : machine.links()) {
    Tree& row = links.emplace_back(Tree::map());
    row.set("from", name(link.from));
    row.set("to", name(link.to));
    row.set("kind", Value<LinkKind>::write(link.kind));
    row.set("bandwidth", Value<BytesPerSecond>::write(link.capacity));
    row.set("latency", Value<Seconds>::write(link.latency));
    row.set("half_duplex", Value<bool>::write(link.half_duplex));
    row.set("source", Tree::quoted_scalar(link.source));
  }
  Tree all = Tree::map();
  all.set("name", Tree::quoted_scalar(machine.name()));
  all.set("title", Tree::quoted_scalar(machine.title()));
  all.set("vertices", Tree::list(std::move(vertices)));
  all.set("links", Tree::list(std::move(links)));
  return all;
}

int show(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 2) {
    throw SpecError("paceline: error: topology show takes one machine: a preset's name or a file");
  }
  const Machine machine = typed_machine(options.operands[1]);
  if (!options.svg.empty()) {
    expect_absent(options.svg, options);
    const std::optional<std::string> svg = to_svg(machine);
    if (!svg) {
      terminal.err
          << "paceline: error: topology show --svg needs Graphviz's `dot` (install graphviz)\n";
      return kNotHere;
    }
    write_whole(options.svg, *svg);
    return kDone;
  }
  if (options.dot) {
    terminal.out << to_dot(machine);
    return kDone;
  }
  if (options.json) {
    terminal.out << to_json(links_json(machine), 2) << "\n";
    return kDone;
  }
  terminal.out << (options.matrix ? matrix_of(machine).text() : to_text(machine));
  return kDone;
}

struct Verb {
  const char* name;
  bool draws;  ///< draws a machine; otherwise writes one
  int (*run)(const Options&, const Terminal&);
};
constexpr std::array<Verb, 3> kVerbs{
    {{"show", true, show}, {"discover", false, discover}, {"import", false, import}}};

/// The verbs share one table of options; throws SpecError for an option of another verb.
void check_options(const Verb& verb, const Options& options) {
  struct Given {
    const char* name;
    bool draws;
    bool given;
  };
  const std::array<Given, 10> all{{{"--svg", true, !options.svg.empty()},
                                   {"--dot", true, options.dot},
                                   {"--matrix", true, options.matrix},
                                   {"--json", true, options.json},
                                   {"-o", false, !options.output.empty()},
                                   {"--gpu", false, !options.gpu.empty()},
                                   {"--nvswitch", false, options.nvswitch > 0},
                                   {"--node", false, !options.node.empty()},
                                   {"--link", false, !options.link.empty()},
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
  CommandRow row{"topology",
                 "VERB [MACHINE|FILE]",
                 "draw a machine, find this computer's, or import another tool's file",
                 {"-o", "--gpu", "--nvswitch", "--node", "--link", "--svg", "--dot", "--matrix",
                  "--json", "--force", "--quiet"},
                 topology,
                 "machine file of discover and import (default: standard output)"};
  Glossary verbs(14);
  verbs.add("show MACHINE",
            "draws a preset, a machine file, `this` or `ideal` (--svg, --dot, "
            "--matrix, --json)");
  verbs.add("discover", "finds this computer's GPUs, switches and links");
  verbs.add("import FILE",
            "reads nvidia-smi's matrix, hwloc's or NCCL's XML, networks of Slurm and "
            "ibnetdiscover; - reads standard input (-o, --gpu, --nvswitch, --node, --link)");
  row.completes = {"show discover import", "<machines> <file>"};
  row.details = "verbs:\n" + verbs.text();
  return row;
}

}  // namespace paceline
