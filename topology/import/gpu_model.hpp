// SPDX-License-Identifier: MIT
/// \file
/// Finds the GPU preset for a GPU of a topology file: by the driver's name, the PCI id or the
/// architecture, otherwise by the number of NVLinks.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "topology/gpu.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

struct GpuModel {
  Tree model;  ///< for `gpus:` of a machine file
  GpuSpec spec;
  std::string assumed;  ///< the reason for choosing this preset; "" if the source names the GPU
};

/// The model of each GPU; `nvlinks` has the number of NVLinks of each in the source. GPUs that the
/// source does not distinguish are one model: the one that fits the GPU with the most NVLinks and
/// the fastest slot. `name` is the user's choice for all: a preset, or the path of a file with
/// figures to copy; "" for none. Throws SpecError.
std::vector<GpuModel> models_of(const std::vector<PciDevice>& gpus, const std::vector<int>& nvlinks,
                                const std::string& name);

/// The peer access where the source of a machine has none, and the reason: within a socket, or less
/// where the driver of a model gives less.
std::pair<PeerAccess, std::string> assumed_access(const std::vector<GpuModel>& models);

}  // namespace paceline
