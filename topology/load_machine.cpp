// SPDX-License-Identifier: MIT
//
// Reads a machine that an experiment names: a preset, the path of a file, or a map.
#include <algorithm>
#include <filesystem>

#include "experiments/language/changed_document.hpp"
#include "experiments/language/other_words.hpp"
#include "topology/cluster.hpp"
#include "topology/machine.hpp"

namespace paceline {

namespace {

/// The keys that a machine has, unless it is a cluster, and those of clusters.
void check_keys(const MachineSpec& spec, const Tree& tree, Diagnostics& diagnostics) {
  if (!is_cluster(spec)) {
    for (const char* key : {"gpus", "host", "links"}) {
      if (tree.find(key) == nullptr)
        diagnostics.error(tree.at, "missing key '" + std::string(key) + "'");
    }
    for (const char* key : {"count", "network"}) {
      if (const Tree* value = tree.find(key)) {
        diagnostics.error(value->at, "'" + std::string(key) +
                                         "' is of a cluster: name its nodes' machine with 'of'");
      }
    }
    return;
  }
  for (const char* key : {"gpus", "host", "vertices", "link_types", "links", "peer_access",
                          "peer_pairs", "copies", "fingerprint", "cluster_network"}) {
    if (const Tree* value = tree.find(key)) {
      diagnostics.error(value->at, "'" + std::string(key) +
                                       "' is a node's, and this is a cluster (describe it in the "
                                       "node's machine)");
    }
  }
  if (spec.of && !spec.nodes.empty()) {
    diagnostics.error(tree.find("nodes")->at,
                      "give 'of' and 'count' for equal nodes, or 'nodes' for different ones");
  }
  if (!spec.of && spec.count) {
    diagnostics.error(tree.find("count")->at,
                      "'count' belongs to 'of', or into each row of 'nodes'");
  }
  if (!spec.network)
    diagnostics.error(tree.at, "missing key 'network' (a link's name, such as infiniband-edr)");
}

/// The network that the first node's file gives its clusters.
std::optional<NetworkOrLink> network_of_nodes(const MachineSpec& cluster) {
  const Tree& first = cluster.of ? *cluster.of : cluster.nodes.front().of;
  return load_machine_spec(first).cluster_network;
}

/// True if `value` is another machine with some keys changed: it has `of` without a cluster's keys.
bool is_changed(const Tree& value) {
  const auto has = [&](const char* key) { return value.find(key) != nullptr; };
  return has("of") && !has("count") && !has("nodes") && !has("network");
}

/// Refuses to change what has no description.
void check_changeable(const Tree& of) {
  if (!of.is_scalar() || (of.text != "this" && of.text != "ideal")) return;
  throw SpecError(of.at, "machine '" + of.text + "' has no keys to change (" +
                             (of.text == "this" ? "change a copy of the machine file that "
                                                  "`paceline calibrate` writes)"
                                                : "describe a machine)"));
}

std::string name_of(const Tree& value, const MachineSpec& spec) {
  if (!value.is_map()) return std::filesystem::path(value.text).stem().string();
  if (!spec.title.empty()) return spec.title;
  if (is_changed(value)) return name_of_changed(value);
  return is_cluster(spec) ? name_of_cluster(spec) : "machine";
}

/// Says what to write where a GPU is named in place of a machine. Throws SpecError.
void refuse_gpu(const Tree& value) {
  const Tree* of = value.is_map() ? value.find("of") : nullptr;
  const Tree& name = of != nullptr ? *of : value;
  if (!name.is_scalar()) return;
  const auto named = [&](const EmbeddedFile& gpu) { return gpu.name == name.text; };
  if (std::ranges::none_of(embedded_gpus(), named)) return;
  throw SpecError(name.at, "unknown machine " + quote(name.text) +
                               " (a GPU; a computer with four of them: 'machine: {of: 4xl40s, "
                               "gpus: [{model: " +
                               name.text + ", count: 4}]}')");
}

}  // namespace

MachineSpec load_machine_spec(const Tree& value) {
  refuse_gpu(value);
  if (value.is_scalar() && value.text == "this") {
    throw SpecError(value.at, "'this' has not been calibrated (run `paceline calibrate`)");
  }
  if (is_changed(value)) check_changeable(*value.find("of"));
  const Tree tree = load_changed(value, "machine", embedded_machines(), is_changed);
  Diagnostics diagnostics;
  if (const Tree* kind = tree.is_map() ? tree.find("kind") : nullptr) {
    std::string hint = instead_of("machine", kind->text);
    if (hint.empty() && kind->is_scalar())
      hint = "several of one machine: 'machine: {of: " + kind->text + ", count: 2, network: ...}'";
    throw SpecError(kind->at, "a machine has no 'kind'" + (hint.empty() ? "" : " (" + hint + ")"));
  }
  MachineSpec spec = read<MachineSpec>(tree, diagnostics);
  if (is_cluster(spec) && !spec.network && diagnostics.count() == 0)
    spec.network = network_of_nodes(spec);
  if (tree.is_map()) check_keys(spec, tree, diagnostics);
  diagnostics.throw_if_any();
  for (const EmbeddedFile& preset : embedded_machines()) {
    if (spec.title.empty() && value.is_scalar() && preset.name == value.text) {
      spec.title = first_comment(preset.text);
    }
  }
  return spec;
}

Machine load_machine(const Tree& value) {
  if (value.is_scalar() && value.text == "ideal") return ideal(0);
  const MachineSpec spec = load_machine_spec(value);
  Diagnostics diagnostics;
  Machine machine =
      (is_cluster(spec) ? build_cluster : build_machine)(spec, name_of(value, spec), diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

}  // namespace paceline
