// SPDX-License-Identifier: MIT
#include "topology/import/import.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "topology/cluster.hpp"
#include "topology/import/assemble_network.hpp"
#include "topology/import/hwloc_xml.hpp"
#include "topology/import/ib_discovery.hpp"
#include "topology/import/lspci_tree.hpp"
#include "topology/import/nccl_xml.hpp"
#include "topology/import/nvlink_status.hpp"
#include "topology/import/rocm_topology.hpp"
#include "topology/import/slurm_topology.hpp"
#include "topology/import/topo_matrix.hpp"
#include "topology/import/yaml_topology.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostBytes = 8u << 20;

bool has_word(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

bool is_matrix(const std::string& text) {
  return has_word(text, "GPU0") && (has_word(text, "X") || has_word(text, "Affinity"));
}

bool is_xml(const std::string& text) {
  const std::size_t begin = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
  return begin != std::string::npos && text[begin] == '<';
}

Inventory read_xml(const std::string& file, const std::string& text) {
  const XmlElement root = parse_xml(file, text);
  if (root.name == "system") return inventory_of_nccl(root);
  if (root.name == "topology") return inventory_of_hwloc(root);
  throw SpecError(root.at,
                  "<" + root.name.substr(0, 40) +
                      "> is not a topology (known: <system> of NCCL, <topology> of hwloc)");
}

/// Some matrices do not correspond to any tree. To detect them, the tree is converted back to a
/// matrix and every cell is compared.
Inventory read_checked_matrix(const std::string& file, const std::string& text) {
  const TopoMatrix matrix = read_matrix(file, text);
  Inventory inventory = inventory_of(matrix);
  const Assumptions nothing;
  Diagnostics diagnostics;
  const Machine machine = build_machine(assemble(inventory, nothing).spec, "imported", diagnostics);
  diagnostics.throw_if_any();
  const TopoMatrix again = matrix_of(machine);
  const std::vector<std::size_t> order = rows_in_machine(matrix, inventory);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      const std::optional<MatrixCell>& cell = matrix.rows[i].cells[j];
      const std::optional<MatrixCell>& mine = again.rows[order[i]].cells[order[j]];
      if (!cell || *cell == *mine) continue;
      throw SpecError(cell->at, "'" + to_string(*cell) + "' between " +
                                    quote(matrix.rows[i].label) + " and " +
                                    quote(matrix.rows[j].label) +
                                    " does not fit the other cells, by which it would be '" +
                                    to_string(*mine) + "'");
    }
  }
  return inventory;
}

/// A reader of a computer or of a network as a reader of a source.
template <auto kRead>
TopologySource source_of(const std::string& file, const std::string& text) {
  TopologySource source;
  if constexpr (std::is_same_v<decltype(kRead(file, text)), Inventory>) {
    source.computer = kRead(file, text);
  } else {
    source.network = kRead(file, text);
  }
  return source;
}

/// A format of topology files.
struct Format {
  const char* name;
  bool (*is)(const std::string& text);
  TopologySource (*read)(const std::string& file, const std::string& text);  ///< throws SpecError
};

/// In the order in which they are tried: tables of ROCm look like a matrix, and a list of NVLinks
/// may stand above one.
constexpr std::array<Format, 8> kFormats{
    {{"XML of NCCL, RCCL or hwloc", is_xml, source_of<read_xml>},
     {"`rocm-smi --showtopo`", is_rocm_topology, source_of<inventory_of_rocm>},
     {"the matrix of `nvidia-smi topo -m`", is_matrix, source_of<read_checked_matrix>},
     {"`nvidia-smi nvlink -s`", is_nvlink_status, source_of<inventory_of_nvlink_status>},
     {"`lspci -tv`", is_lspci_tree, source_of<inventory_of_lspci>},
     {"`ibnetdiscover`", is_ib_discovery, source_of<network_of_ib>},
     {"topology.conf of Slurm", is_slurm_topology, source_of<network_of_slurm>},
     {"YAML or JSON of ASTRA-sim, InfraGraph, Slurm or topograph", is_yaml_topology,
      source_of_yaml}}};

bool is_gpu(const PciDevice& device) {
  return device.kind == PciDevice::Kind::gpu;
}

/// Refuses what the user assumes of what the source describes, or of what it does not have.
void check_assumptions(const TopologySource& source, const Assumptions& assumptions) {
  if (source.computer && !assumptions.node.empty()) {
    throw SpecError("paceline: error: --node: " + source.computer->origin +
                    " describes the computer itself (leave --node out)");
  }
  if (!source.network && !assumptions.link.empty()) {
    throw SpecError("paceline: error: --link: " + source.computer->origin +
                    " has no network between computers (leave --link out)");
  }
  if (!source.computer && (!assumptions.gpu.empty() || assumptions.nvswitch_links > 0)) {
    throw SpecError("paceline: error: " + source.network->origin +
                    " describes no GPUs (name the machine of a computer with --node)");
  }
}

ImportedMachine machine_of(TopologySource source, const Assumptions& assumptions,
                           const Location& whole) {
  check_assumptions(source, assumptions);
  std::optional<ImportedMachine> machine;
  if (source.computer) {
    if (!source.computer->whole_host && std::ranges::none_of(source.computer->devices, is_gpu))
      throw SpecError(whole, "no GPU in " + source.computer->origin);
    machine = assemble(std::move(*source.computer), assumptions);
  }
  if (source.network)
    machine = assemble_network(std::move(*source.network), std::move(machine), assumptions);
  Diagnostics diagnostics;
  (is_cluster(machine->spec) ? build_cluster : build_machine)(machine->spec, "imported",
                                                              diagnostics);
  if (!diagnostics.empty())
    throw SpecError(whole, "describes no valid machine: " + diagnostics.lines()[0]);
  return std::move(*machine);
}

}  // namespace

ImportedMachine import_topology(const std::string& file, const std::string& text,
                                const Assumptions& assumptions) {
  const Location whole{std::make_shared<const std::string>(file), 0, 0};
  if (text.size() > kMostBytes) throw SpecError(whole, "is too large (at most 8 MiB)");
  for (const Format& format : kFormats) {
    if (format.is(text)) return machine_of(format.read(file, text), assumptions, whole);
  }
  std::vector<std::string> known;
  for (const Format& format : kFormats) known.emplace_back(format.name);
  throw SpecError(whole, "is not a known topology format (known: " + join(known) + ")");
}

}  // namespace paceline
