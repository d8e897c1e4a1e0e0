// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "cli/command.hpp"
#include "cli/listed_kinds.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/diagnostics.hpp"
#include "experiments/reference_page.hpp"
#include "experiments/schema.hpp"
#include "topology/gpu.hpp"
#include "training/experiment.hpp"
#include "training/policies_page.hpp"

namespace paceline {
namespace {

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

constexpr const char* kGpuIntroduction =
    "The keys of a GPU file, and of a mapping under `machine.gpus[].model`. `paceline list gpus`\n"
    "names the GPUs that need no file.";

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const ListedKind& kind : listed_kinds()) names.emplace_back(kind.name);
  return names;
}

/// One word of the command line: a kind, or every thing of that name.
struct Wanted {
  const ListedKind* kind = nullptr;
  std::vector<FactSheet> sheets;
};

Wanted find(const std::string& word) {
  Wanted wanted;
  std::vector<std::string> known = kind_names();
  for (const ListedKind& kind : listed_kinds()) {
    if (word == kind.name) return {&kind, {}};
    for (const ListedThing& thing : kind.things()) {
      if (thing.name == word) wanted.sheets.push_back(kind.sheet(thing));
      known.push_back(thing.name);
    }
  }
  if (!wanted.sheets.empty()) return wanted;
  std::string hint = did_you_mean(word, known);
  hint = hint.empty() ? "" : "did you mean " + quote(std::string_view(hint)) + "? ";
  throw SpecError("paceline: error: unknown kind or name " + quote(std::string_view(word)) + " (" +
                  hint + "kinds: " + join(kind_names()) + ")");
}

/// One line each, or more where the help is long.
std::string text_of(const ListedKind& kind) {
  const std::vector<ListedThing> things = kind.things();
  std::size_t widest = 0;
  for (const ListedThing& thing : things) widest = std::max(widest, thing.name.size());
  Glossary list(widest);
  for (const ListedThing& thing : things) list.add(thing.name, thing.help);
  return list.text();
}

Tree json_of(const ListedKind& kind) {
  Tree tree = Tree::map();
  for (const ListedThing& thing : kind.things()) {
    Tree help = Tree::scalar(thing.help);
    help.quoted = true;
    tree.set(thing.name, std::move(help));
  }
  return tree;
}

void print_all(const std::vector<Wanted>& all, std::ostream& out) {
  bool first = true;
  for (const Wanted& wanted : all) {
    if (wanted.kind != nullptr) {
      out << (first ? "" : "\n") << wanted.kind->name << "\n" << text_of(*wanted.kind);
    }
    for (const FactSheet& sheet : wanted.sheets) {
      out << (std::exchange(first, false) ? "" : "\n") << sheet.text();
    }
    first = false;
  }
}

void print_json(const std::vector<Wanted>& all, std::ostream& out) {
  Tree kinds = Tree::map();
  std::vector<Tree> sheets;
  for (const Wanted& wanted : all) {
    if (wanted.kind != nullptr) kinds.set(wanted.kind->name, json_of(*wanted.kind));
    for (const FactSheet& sheet : wanted.sheets) sheets.push_back(sheet.json());
  }
  if (!sheets.empty()) kinds.set("things", Tree::list(std::move(sheets)));
  out << to_json(kinds, 2) << "\n";
}

int list(const Options& options, const Terminal& terminal) {
  if (options.schema) {
    terminal.out << json_schema(keys_of<Experiment>(), "Paceline experiment");
    return kDone;
  }
  if (options.reference) {
    terminal.out << reference_page(keys_of<Experiment>(), kIntroduction,
                                   {{"GPU", kGpuIntroduction, keys_of<GpuSpec>()}});
    return kDone;
  }
  if (options.policies) {
    terminal.out << policies_page();
    return kDone;
  }
  std::vector<Wanted> all;
  for (const std::string& word : options.operands) all.push_back(find(word));
  if (options.operands.empty()) {
    for (const ListedKind& kind : listed_kinds()) all.push_back({&kind, {}});
  }
  if (options.json) {
    print_json(all, terminal.out);
  } else {
    print_all(all, terminal.out);
  }
  return kDone;
}

}  // namespace

CommandRow list_command() {
  CommandRow row{"list",
                 "[KIND|NAME...]",
                 "what an experiment can name, or what is known of one model, machine, ...",
                 {"--json", "--schema", "--reference", "--policies"},
                 list};
  row.details = wrapped("KINDS: " + join(kind_names()), 0, 7);
  return row;
}

}  // namespace paceline
