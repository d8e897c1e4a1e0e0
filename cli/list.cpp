// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/command.hpp"
#include "experiments/diagnostics.hpp"
#include "experiments/reference_page.hpp"
#include "experiments/schema.hpp"
#include "models/load_network.hpp"
#include "topology/machine.hpp"
#include "training/experiment.hpp"
#include "training/policies_page.hpp"
#include "training/software/software.hpp"

namespace paceline {
namespace {

using Lines = std::vector<std::vector<std::string>>;  ///< name, help

template <class Part>
Lines family() {
  Lines lines;
  for (const Variant<Part>& row : table_of(static_cast<const Part*>(nullptr)).rows) {
    lines.push_back({row.name, row.help});
  }
  return lines;
}

Lines presets(std::span<const EmbeddedFile> files) {
  Lines lines;
  for (const std::string& name : preset_names(files)) {
    for (const EmbeddedFile& file : files) {
      if (file.name == name) lines.push_back({name, first_comment(file.text)});
    }
  }
  return lines;
}

/// A kind of thing that there is.
struct ListRow {
  const char* name;
  Lines (*lines)();
};

const std::vector<ListRow>& lists() {
  static const std::vector<ListRow> rows{
      {"models",
       [] {
         Lines lines;
         for (const NetworkHelp& model : network_helps()) lines.push_back({model.name, model.help});
         return lines;
       }},
      {"machines",
       [] {
         Lines lines = presets(embedded_machines());
         lines.push_back({"this", "this computer, whose cores are the workers"});
         lines.push_back({"ideal", "nothing but compute costs time"});
         return lines;
       }},
      {"gpus", [] { return presets(embedded_gpus()); }},
      {"software", [] { return presets(embedded_software()); }},
      {"policies", family<UpdatePolicy>},
      {"aggregations", family<Aggregation>},
      {"algorithms", family<AllReduce>},
      {"stragglers", family<Straggler>},
      {"optimizers", family<Optimizer>},
      {"schedules", family<Schedule>},
      {"staleness-rules", family<StalenessRule>},
      {"datasets", family<Dataset>},
      {"inputs", family<InputSource>},
  };
  return rows;
}

/// Two columns; a line for each.
std::string printed(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line[0].size());
  std::string out;
  for (const auto& line : lines) {
    const std::string padding(width + 2 - line[0].size(), ' ');
    out += line[0] + (line[1].empty() ? "" : padding + line[1]) + "\n";
  }
  return out;
}

constexpr const char* kIntroduction =
    "# The experiment file\n\n"
    "One YAML file says what to train, on which machine and how the workers wait for each other;\n"
    "`paceline simulate` predicts it, `paceline execute` measures it, `paceline run` does both.\n"
    "Every key but `name` and `model` has a default. Quantities carry units. A bare name stands "
    "for\n"
    "`{kind: name}`. A list where one value is expected is a sweep: points are the cross product.\n"
    "`zip: [{model: alexnet, batch: 512}, {model: vgg16, batch: 64}]` merges each row over the "
    "rest.\n"
    "\n"
    "Made by `paceline list --reference` from the descriptions that the reader itself uses.\n";

int list(const Options& options, const Terminal& terminal) {
  if (options.schema) {
    terminal.out << json_schema(keys_of<Experiment>(), "Paceline experiment");
    return kDone;
  }
  if (options.reference) {
    terminal.out << reference_page(keys_of<Experiment>(), kIntroduction);
    return kDone;
  }
  if (options.policies) {
    terminal.out << policies_page();
    return kDone;
  }
  std::vector<std::string> names;
  for (const ListRow& row : lists()) names.emplace_back(row.name);
  for (const std::string& wanted : options.operands) {
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      throw SpecError("paceline: error: " + unknown_name("list", wanted, names));
    }
  }
  if (options.operands.size() == 1) {
    for (const ListRow& row : lists()) {
      if (row.name == options.operands.front()) terminal.out << printed(row.lines());
    }
    return kDone;
  }
  bool first = true;
  for (const ListRow& row : lists()) {
    const auto& wanted = options.operands;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.name) == wanted.end()) {
      continue;
    }
    Lines indented = row.lines();
    for (auto& line : indented) line[0] = "  " + line[0];
    terminal.out << (first ? "" : "\n") << row.name << "\n" << printed(indented);
    first = false;
  }
  return kDone;
}

}  // namespace

CommandRow list_command() {
  return {"list",
          "[KIND...]",
          "what there is: models, machines, policies, ...",
          {"--schema", "--reference", "--policies"},
          list};
}

}  // namespace paceline
