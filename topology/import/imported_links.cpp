// SPDX-License-Identifier: MIT
#include "topology/import/imported_links.hpp"

#include <algorithm>

#include "topology/import/pci.hpp"

namespace paceline {

LinkTypeSpec load_link(const std::string& name) {
  Diagnostics diagnostics;
  auto link = read<LinkTypeSpec>(load_preset_or_path(Tree::scalar(name), "link", embedded_links()),
                                 diagnostics);
  diagnostics.throw_if_any();
  return link;
}

const std::string& ImportedLinks::type(const std::string& name, const std::string& preset,
                                       int lanes, const std::string& prefix) {
  if (!spec_.link_types.contains(name)) {
    LinkTypeSpec figures = load_link(preset);
    figures.bandwidth = figures.bandwidth * lanes;
    figures.source = prefix + figures.source;
    spec_.link_types[name] = std::move(figures);
  }
  return name;
}

std::string ImportedLinks::pcie(const PcieRate& rate) {
  const std::string preset = "pcie" + std::to_string(pcie_generation(rate.gt_per_s));
  const std::string width = "x" + std::to_string(rate.lanes);
  return type(preset + "-" + width, preset, rate.lanes, width + ", as " + origin_ + " says; ");
}

std::string ImportedLinks::assumed_pcie(const std::string& preset) {
  constexpr int kLanes = 16;
  return type(
      preset + "-x16-assumed", preset, kLanes,
      "assumed, as " + origin_ + " does not say: x16 at the speed of the GPU's own interface; ");
}

std::string ImportedLinks::root_complex() {
  LinkTypeSpec inside;
  inside.kind = LinkKind::pcie;
  for (const auto& [name, figures] : spec_.link_types) {
    if (figures.kind == LinkKind::pcie) {
      inside.bandwidth = std::max(inside.bandwidth, figures.bandwidth);
    }
  }
  inside.source = "assumed: inside the processor, as wide as all links below it";
  std::string name = "root-complex";
  spec_.link_types.emplace(name, std::move(inside));
  return name;
}

std::string ImportedLinks::nvlink(const std::string& preset) {
  return type(preset, preset, 1, "how many: as " + origin_ + " says; figures assumed: ");
}

std::string ImportedLinks::between_gpus(const LinkTypeSpec& figures) {
  std::string name = "between-gpus";
  spec_.link_types.emplace(name, figures);
  return name;
}

std::string ImportedLinks::chip_link(BytesPerSecond bandwidth) {
  const std::string preset = "nvlink-c2c";
  std::string name = preset;
  for (int i = 1; spec_.link_types.contains(name); ++i) {
    if (spec_.link_types.at(name).bandwidth == bandwidth) return name;
    name = preset + "-" + std::to_string(i);
  }
  LinkTypeSpec figures = load_link(preset);
  figures.bandwidth = bandwidth;
  figures.source = "bandwidth: as " + origin_ + " says; " + figures.source;
  spec_.link_types[name] = std::move(figures);
  return name;
}

std::string ImportedLinks::between_sockets(const std::string& preset) {
  return type(preset, preset, 1, "assumed, as " + origin_ + " does not say: ");
}

void ImportedLinks::add(const std::string& type, const std::string& from, const std::string& to,
                        int count) {
  constexpr int kMostBonded = 64;
  const int bonded = std::clamp(count, 1, kMostBonded);
  const auto [row, added] = rows_.emplace(std::tuple(type, from, bonded), spec_.links.size());
  if (added) spec_.links.push_back({{type, {}}, {from, {}}, {}, bonded});
  spec_.links[row->second].to.push_back({to, {}});
}

}  // namespace paceline
