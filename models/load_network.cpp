// SPDX-License-Identifier: MIT
#include "models/load_network.hpp"

#include <algorithm>
#include <filesystem>

#include "experiments/language/changed_document.hpp"
#include "models/network_kind.hpp"

namespace paceline {
namespace {

/// Adds the kind of a network described by blocks to a map with `blocks` and no `kind`, the form of
/// most files.
Tree with_kind(Tree description) {
  if (description.is_map() && description.find("kind") == nullptr &&
      description.find("blocks") != nullptr) {
    description.set("kind", Tree::scalar("layers", description.at));
  }
  return description;
}

}  // namespace

Network load_network(const Tree& value) {
  const bool named = value.is_scalar() || has_of(value);
  const Tree description =
      with_kind(named ? load_changed(value, "model", embedded_models()) : value);
  if (!description.is_map()) {
    throw SpecError(description.at, named ? "expected a mapping that describes a model"
                                          : "expected a model (a name, a path, or {kind: ...})");
  }
  Diagnostics diagnostics;
  Choice<NetworkKind> kind;
  Network network;
  if (Value<Choice<NetworkKind>>::read(kind, description, diagnostics)) {
    network = kind->make(description.at, diagnostics);
  }
  diagnostics.throw_if_any();
  network.name = has_of(value) ? name_of_changed(value)
                 : named       ? std::filesystem::path(value.text).stem().string()
                               : kind.kind();
  return network;
}

std::vector<std::string> network_names() {
  return preset_names(embedded_models());
}

std::vector<NetworkHelp> network_helps() {
  std::vector<NetworkHelp> helps;
  for (const EmbeddedFile& preset : embedded_models()) {
    helps.push_back({std::string(preset.name), first_comment(preset.text)});
  }
  std::sort(helps.begin(), helps.end(),
            [](const NetworkHelp& a, const NetworkHelp& b) { return a.name < b.name; });
  return helps;
}

}  // namespace paceline
