// SPDX-License-Identifier: MIT
//
// Reads a machine that an experiment names: a preset, the path of a file, or a map.
#include <filesystem>

#include "experiments/language/not_yet.hpp"
#include "topology/machine.hpp"

namespace paceline {

Machine load_machine(const Tree& value) {
  Tree tree = value;
  std::string name = "machine";
  if (!value.is_map()) {
    if (value.is_scalar() && value.text == "ideal") return ideal(0);
    if (value.is_scalar() && value.text == "this") {
      throw SpecError(value.at, "'this' has not been calibrated (run `paceline calibrate`)");
    }
    tree = load_preset_or_path(value, "machine", embedded_machines());
    name = std::filesystem::path(value.text).stem().string();
  }
  Diagnostics diagnostics;
  if (const Tree* kind = tree.is_map() ? tree.find("kind") : nullptr) {
    const std::string hint = not_yet("machine", kind->text);
    throw SpecError(kind->at, "a machine has no 'kind'" + (hint.empty() ? "" : " (" + hint + ")"));
  }
  MachineSpec spec = read<MachineSpec>(tree, diagnostics);
  diagnostics.throw_if_any();
  if (value.is_map() && !spec.title.empty()) name = spec.title;
  for (const EmbeddedFile& preset : embedded_machines()) {
    if (spec.title.empty() && value.is_scalar() && preset.name == value.text) {
      spec.title = first_comment(preset.text);
    }
  }
  Machine machine = build_machine(spec, name, diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

}  // namespace paceline
