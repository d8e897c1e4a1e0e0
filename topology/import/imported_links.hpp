// SPDX-License-Identifier: MIT
/// \file
/// The links of an imported machine. The figures of a link come from the presets (links/); its
/// source names what the imported file says and what is assumed.
#pragma once
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "experiments/language/presets.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

/// The link presets: the figures of one lane, or of one link.
std::span<const EmbeddedFile> embedded_links();
/// Loads a link preset. Throws SpecError.
LinkTypeSpec load_link(const std::string& name);

/// Adds links to the description of a machine. A type is added when a link first has it; each
/// function for a type returns its name.
class ImportedLinks final {
 public:
  /// `origin` is the source of the inventory, "an NCCL topology file".
  ImportedLinks(MachineSpec& spec, std::string origin) : spec_(spec), origin_(std::move(origin)) {}

  /// A PCIe link with the rate that the source gives.
  std::string pcie(const PcieRate& rate);
  /// A PCIe link of unknown rate, with 16 lanes of this preset.
  std::string assumed_pcie(const std::string& preset);
  /// A link inside the processor, as wide as the widest PCIe link so far.
  std::string root_complex();
  std::string nvlink(const std::string& preset);
  /// A link between GPUs with the figures of the source.
  std::string between_gpus(const LinkTypeSpec& figures);
  /// A link from a GPU to its processor, with the bandwidth that the source gives.
  std::string chip_link(BytesPerSecond bandwidth);
  std::string between_sockets(const std::string& preset);

  /// Adds a link of `count` bonded ones. Links of one type and number from a vertex are one row.
  void add(const std::string& type, const std::string& from, const std::string& to, int count);

 private:
  /// The type of this name: `lanes` of a preset, with `prefix` before its source.
  const std::string& type(const std::string& name, const std::string& preset, int lanes,
                          const std::string& prefix);

  MachineSpec& spec_;
  std::string origin_;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> rows_;  // index in spec_.links
};

}  // namespace paceline
