// SPDX-License-Identifier: MIT
#include "topology/import/nvlink_status.hpp"

#include <algorithm>
#include <map>

#include "topology/import/gpu_list.hpp"

namespace paceline {
namespace {

constexpr int kMostActive = 64;

/// True for "Link 0: 25 GB/s"; a link that is down is "<inactive>".
bool is_active_link(const MatrixLine& line) {
  return line.size() == 4 && line[0].text == "Link" && line[1].text.ends_with(':') &&
         line[3].text == "GB/s";
}

/// True for GPUs that bridges join in pairs; the others with as many NVLinks hang on NVSwitches.
bool has_bridges(const std::string& name) {
  return name.find("PCI") != std::string::npos || name.find("NVL") != std::string::npos;
}

/// The number of active NVLinks by GPU.
std::map<int, int> active_links(const std::vector<MatrixLine>& lines) {
  std::map<int, int> counts;
  int* current = nullptr;
  for (const MatrixLine& line : lines) {
    const std::map<int, std::string> heading = gpu_names({line});
    if (!heading.empty()) current = &counts.emplace(heading.begin()->first, 0).first->second;
    if (current != nullptr && is_active_link(line)) ++*current;
  }
  return counts;
}

}  // namespace

bool is_nvlink_status(const std::string& text) {
  const std::vector<MatrixLine> lines = matrix_lines(text);
  return std::ranges::any_of(lines, is_active_link) && !gpu_names(lines).empty();
}

Inventory inventory_of_nvlink_status(const std::string& file, const std::string& text) {
  const std::vector<MatrixLine> lines = matrix_lines(text);
  const std::map<int, std::string> names = gpu_names(lines);
  const std::map<int, int> counts = active_links(lines);
  const int links = counts.begin()->second;
  const bool alike =
      std::ranges::all_of(counts, [&](const auto& row) { return row.second == links; });
  constexpr int kFewestOnSwitches = 12;  // of an A100; boards of earlier GPUs have other forms
  const bool switches =
      counts.size() > 2 && links >= kFewestOnSwitches &&
      std::ranges::none_of(names, [](const auto& row) { return has_bridges(row.second); });
  if (!alike || links > kMostActive || (counts.size() > 2 && !switches)) {
    throw SpecError({std::make_shared<const std::string>(file), 0, 0},
                    "`nvidia-smi nvlink -s` does not say which GPUs the NVLinks join: give what "
                    "`nvidia-smi topo -m` prints");
  }
  Inventory out;
  out.origin = "a list of NVLinks";
  for (const auto& [number, count] : counts) {
    PciDevice gpu;
    gpu.order = number;
    gpu.driver_name = names.at(number);
    if (switches) out.bonds.push_back({static_cast<int>(out.devices.size()), Bond::kSwitch, links});
    out.devices.push_back(std::move(gpu));
  }
  if (counts.size() == 2) out.bonds.push_back({0, 1, links});
  if (counts.size() > 1) {
    out.notes.push_back(std::string("the source does not say where NVLinks lead: assumed ") +
                        (switches ? "to NVSwitches" : "from one GPU to the other") +
                        "; nor where GPUs are on PCIe: assumed on one socket, without a switch "
                        "(`nvidia-smi topo -m` says both)");
  }
  return out;
}

}  // namespace paceline
